/** The dialects by the names that an operator gives them. */
import type { ModelDialect } from '../../contract/model-access.ts';
import { chatCompletionsDialect } from './chat-completions/dialect.ts';
import type { Dialect } from './dialect.ts';
import { messagesDialect } from './messages/dialect.ts';
import { responsesDialect } from './responses/dialect.ts';

export const dialects: Readonly<Record<ModelDialect, Dialect>> = {
  messages: messagesDialect,
  chat_completions: chatCompletionsDialect,
  responses: responsesDialect,
};
