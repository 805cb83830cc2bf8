/** What a notification of the browser says of requests, and when there is one. Pure. */

export interface Watch {
  /** How many waited for this person when it was last looked; null before the first look. */
  before: number | null;
  now: number;
  /** They look at another window, or at none of ours. */
  isAway: boolean;
}

/**
 * Only how many wait: a notification is shown on locked screens, so that it says nothing of agents, of what
 * they claim or of a call. Null where nothing new waits, or where it is seen on the page.
 */
export function noticeOf({ before, now, isAway }: Watch): string | null {
  if (before === null || now <= before || !isAway) {
    return null;
  }
  return now === 1 ? 'One request waits for your decision.' : `${now} requests wait for your decision.`;
}
