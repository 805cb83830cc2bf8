import type { Params } from '../../../../sidecar/json-rpc/message.ts';
import type { ParsedLine } from '../../../../sidecar/json-rpc/parse-line.ts';

/** What a call or a result carries is empty. */
export function withoutPayloads(parsed: ParsedLine): ParsedLine {
  if (!parsed.ok) {
    return parsed;
  }
  const { message } = parsed;
  if (message.kind === 'request' || message.kind === 'notification') {
    return { ...parsed, message: { ...message, params: emptied(message.params, ['arguments']) } };
  }
  return message.kind === 'result'
    ? {
        ...parsed,
        message: { ...message, result: emptied(message.result, ['content', 'structuredContent']) },
      }
    : parsed;
}

function emptied(members: Params, names: string[]): Params {
  const changed = Object.entries(members).map(([name, value]) => {
    const isPayload = names.includes(name) && typeof value === 'object' && value !== null;
    return [name, isPayload ? (Array.isArray(value) ? [] : {}) : value];
  });
  return Object.fromEntries(changed);
}
