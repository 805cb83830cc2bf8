/**
 * Pure: what an agent does next, in the answer that it reads at that moment. A model that is not told asks
 * again, or repeats the call.
 */

import { startNow } from '../../contract/how-to-ask.ts';

/** Of a request that a person has not decided. */
export const whilePending =
  'Nobody has decided yet. Do not ask again and do not repeat the refused call: do other work, or end your turn. The decision arrives as a message.';

export const whileUnanswered =
  'Nobody has answered yet. Do not ask again: do other work, or end your turn. The answer arrives as a message.';

/** `childAgentId`: of the agent that may be started now; for another permission null. */
export function afterDecision(
  status: 'approved' | 'denied' | 'expired' | 'cancelled',
  { exactCall, childAgentId }: { exactCall: boolean; childAgentId: string | null },
): string {
  if (status === 'approved') {
    return exactCall ? onlyTheRefusedCall : whatIsAllowedNow(childAgentId);
  }
  return status === 'denied'
    ? 'Do not ask for it again. Continue without it, or say what you cannot do.'
    : 'Continue without it. Ask once more only if you cannot.';
}

const onlyTheRefusedCall =
  'Make exactly the refused call again, with the same arguments. Any other call needs a permission of its own.';

const whatIsAllowedNow = (childAgentId: string | null) =>
  childAgentId === null ? 'Make the refused call again.' : startNow(childAgentId);
