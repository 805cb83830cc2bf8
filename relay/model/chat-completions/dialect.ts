/** Chat Completions, as many endpoints speak it: one path below a base URL that ends with its version. */
import type { Dialect } from '../dialect.ts';
import { memberOf } from '../member-of.ts';
import { bearerHeaders, openaiErrorBody, openaiRequestId } from '../openai/form.ts';
import { parseChatRequest } from './request.ts';
import { chatUsage, doneMark, openChatStream } from './stream.ts';

export const chatCompletionsDialect: Dialect = {
  targets: new Map([['/v1/chat/completions', '/chat/completions']]),
  requestIdHeader: openaiRequestId,
  parseRequest: parseChatRequest,
  headers: bearerHeaders,
  readAnswer: (value) =>
    Array.isArray(memberOf(value, 'choices')) ? { usage: chatUsage(memberOf(value, 'usage')) } : null,
  openStream: openChatStream,
  write: (event, redact) => `data: ${event === doneMark ? doneMark : redact(JSON.stringify(event))}\n\n`,
  errorBody: openaiErrorBody,
  errorEvents: (error) => `data: ${openaiErrorBody(error)}\n\n`,
};
