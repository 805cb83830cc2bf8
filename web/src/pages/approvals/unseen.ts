/** What of an approval this person has not seen. Pure. */
import type { CallState } from './call/call-state.ts';
import { type Choice, isComplete, isSingle } from './choices.ts';

/**
 * `choice`, `end-of-call`, `child`: not in sight so far. `loading`, `no-child`: it comes, or could not be
 * loaded; `day`: it has no last day to come. None of these can be approved.
 * `arguments`: they are not for this person to see, or cannot be shown; approving exactly this call is still
 * the least that one can approve.
 */
export type Unseen = 'choice' | 'day' | 'end-of-call' | 'child' | 'loading' | 'no-child' | 'arguments' | null;

/** What is shown of the agent that a request asks to start; `none` where it asks for something else. */
export type ChildState = 'none' | 'unread' | 'shown';

/** What is shown of what would be approved. */
export interface Shown {
  call: CallState['kind'];
  child: ChildState;
  nowMs: number;
}

/** `wasInSight`: all that is marked as deciding the choice. */
export function unseenOf(choice: Choice | null, { call, child, nowMs }: Shown, wasInSight: boolean): Unseen {
  if (choice === null) {
    return null;
  }
  if (!isComplete(choice, nowMs)) {
    return 'day';
  }
  if (child !== 'none') {
    return child === 'unread' ? 'no-child' : wasInSight ? null : 'child';
  }
  if (choice.reach !== 'exact') {
    // Without a refused call even one call may be of any of the tools.
    return (isSingle(choice.reach) && call !== 'none') || wasInSight ? null : 'choice';
  }
  if (call === 'loading' || call === 'unread') {
    return 'loading';
  }
  const isThere = call === 'shown' || call === 'unreadable';
  return !isThere ? 'arguments' : wasInSight ? null : 'end-of-call';
}
