import type { ModelDialect } from '../../../contract/model-access.ts';

export const dialectText: Record<ModelDialect, string> = {
  messages: 'Messages',
  chat_completions: 'Chat Completions',
  responses: 'Responses',
};

/** `Messages, Chat Completions or Responses`. */
export function dialectsText(dialects: readonly ModelDialect[]): string {
  const names = dialects.map((dialect) => dialectText[dialect]);
  const last = names.pop() ?? '';
  return names.length === 0 ? last : `${names.join(', ')} or ${last}`;
}
