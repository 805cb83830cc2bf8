/** What of an approval this person has not seen. Pure. */
import type { CallState } from './call/call-state.ts';
import { type Choice, isSingle } from './choices.ts';

/**
 * `choice`, `end-of-call`: not in sight so far. `loading`: it comes. None of these can be approved. `arguments`: they are not for this person to
 * see, or cannot be shown; approving exactly this call is still the least that one can approve.
 */
export type Unseen = 'choice' | 'end-of-call' | 'loading' | 'arguments' | null;

/** `wasInSight`: all that is marked as deciding the choice. */
export function unseenOf(choice: Choice | null, call: CallState['kind'], wasInSight: boolean): Unseen {
  if (choice === null) {
    return null;
  }
  if (choice.reach !== 'exact') {
    return isSingle(choice.reach) || wasInSight ? null : 'choice';
  }
  if (call === 'loading' || call === 'unread') {
    return 'loading';
  }
  if (call === 'unreadable') {
    return null;
  }
  return call !== 'shown' ? 'arguments' : wasInSight ? null : 'end-of-call';
}
