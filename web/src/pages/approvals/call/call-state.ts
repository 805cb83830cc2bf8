/** What can be shown of the call that was refused before an agent asked. Pure. */
import { ApiFailure } from '../../../api/failure.ts';
import type { PermissionRequest } from '../../../api/types.ts';
import { type CallLine, callLines } from './call-lines.ts';

type RefusedCall = PermissionRequest['refused_call'];

/**
 * `none`: the agent asked without a refused call. `not-kept`: only server and tool are known. `unread`: the
 * arguments were not asked for yet.
 * `withheld`: this person may not read them. `replaced`: the request has another call by now. `unreadable`:
 * they are not what the platform records.
 */
export type CallState =
  | { kind: 'none' | 'not-kept' | 'unread' | 'loading' | 'erased' | 'replaced' | 'failed' }
  | { kind: 'too-large'; sizeBytes: number }
  | { kind: 'withheld'; rule: string }
  | { kind: 'shown'; lines: CallLine[] }
  | { kind: 'unreadable'; argumentsText: string };

/** How far the arguments were read. */
export interface CallReading {
  isWanted: boolean;
  answer: { digest: string; arguments: string | null } | undefined;
  error: unknown;
}

/**
 * `call` is the one that is shown and would be approved: an answer with another digest is about another call.
 */
export function callState(call: RefusedCall, { isWanted, answer, error }: CallReading): CallState {
  if (call === null) {
    return { kind: 'none' };
  }
  if (call.digest === null) {
    const { arguments_size_bytes: sizeBytes } = call;
    return sizeBytes === null ? { kind: 'not-kept' } : { kind: 'too-large', sizeBytes };
  }
  if (answer === undefined) {
    return withoutAnswer(isWanted, error);
  }
  return answer.digest === call.digest ? argumentsState(answer.arguments) : { kind: 'replaced' };
}

function withoutAnswer(isWanted: boolean, error: unknown): CallState {
  if (error instanceof ApiFailure && error.status === 403) {
    return { kind: 'withheld', rule: error.message };
  }
  return { kind: error !== null ? 'failed' : isWanted ? 'loading' : 'unread' };
}

function argumentsState(argumentsText: string | null): CallState {
  if (argumentsText === null) {
    return { kind: 'erased' };
  }
  const lines = callLines(argumentsText);
  return lines === null ? { kind: 'unreadable', argumentsText } : { kind: 'shown', lines };
}
