/** What an agent asked before, in the platform's own words. Pure. */
import { earlierBounds } from '../../../../contract/request-bounds.ts';
import type { EarlierRequests } from '../../api/types.ts';
import { absoluteTime } from '../../text/time-text.ts';

/** "once", "3 times" */
export const timesText = (count: number): string => (count === 1 ? 'once' : `${count} times`);

/**
 * "asked for this 6 times in 30 days: 5 approved, 1 denied", after the agent's name. `seesAll` is false for
 * who may read only some of the workspace's sessions, and is told no more than those show.
 */
export function earlierText(earlier: EarlierRequests, { seesAll }: { seesAll: boolean }): string {
  const { approved, denied, unanswered, is_partial: isPartial } = earlier;
  const asked = approved + denied + unanswered;
  const where = seesAll ? '' : ', in sessions that you may read';
  const when = isPartial
    ? `among its last ${earlierBounds.looked.toLocaleString('en')} requests`
    : `in ${earlierBounds.days} days`;
  if (asked === 0) {
    return `has not asked for this ${when}${where}.`;
  }
  const parts = [
    [approved, 'approved'],
    [denied, 'denied'],
    [unanswered, 'not answered'],
  ] as const;
  const counts = parts.filter(([count]) => count > 0).map(([count, how]) => `${count} ${how}`);
  return `asked for this ${timesText(asked)} ${when}${where}: ${counts.join(', ')}.`;
}

type Decided = EarlierRequests['decided'][number];

/** "Approved, this call only" */
export function decidedBeforeText({ status, grant }: Pick<Decided, 'status' | 'grant'>): string {
  if (status === 'denied') {
    return 'Denied';
  }
  return grant === null ? 'Approved' : `Approved, ${reachOf(grant)}`;
}

function reachOf({ scope, exact_call: isExact, expires_at: end }: NonNullable<Decided['grant']>): string {
  switch (scope) {
    case 'once':
      return isExact ? 'this call only' : 'once';
    case 'session':
      return 'that session';
    case 'persistent':
      return end === null ? 'until revoked' : `until ${absoluteTime(end)}`;
  }
}
