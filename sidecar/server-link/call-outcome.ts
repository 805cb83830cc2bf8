/** The outcome of a call, from its answer. */
import type { CallOutcome } from '../../contract/audit-event.ts';
import type { Message } from '../json-rpc/message.ts';

export function outcomeOf(message: Message): CallOutcome {
  if (message.kind === 'error') {
    return 'protocol_error';
  }
  return message.kind === 'result' && message.result['isError'] === true ? 'tool_error' : 'ok';
}

export function resultOf(message: Message): unknown {
  return message.kind === 'error' ? message.error : message.kind === 'result' ? message.result : undefined;
}
