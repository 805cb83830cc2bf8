/** What days of a workspace count for one person: of sessions that they may read, and of those alone. */
import * as z from 'zod';
import { callOutcome } from '../../contract/audit-event.ts';
import type { Day } from '../../contract/days.ts';
import { homeBounds } from '../../contract/home-bounds.ts';
import { requestStatus } from '../../contract/permission-request.ts';
import { sessionStatus } from '../../contract/session.ts';
import type { Db } from '../database.ts';
import { onlyRow, readRows } from '../read-rows.ts';
import { readableCondition } from '../sessions/conditions.ts';
import type { HomeOf } from './sessions.ts';

const counted = { day: z.iso.date(), count: z.int(), looked: z.int() };
const sessionCount = z.object({ ...counted, status: sessionStatus });
const requestCount = z.object({ ...counted, status: requestStatus });
const callCount = z.object({ ...counted, status: callOutcome });

/** Of `r`, by the session that asked or called. */
const inReadableSession = `exists (select from sessions s where s.id = r.session_id and ${readableCondition})`;

/**
 * How many sessions that began on a day have which status now, of those that the person may read: `looked`
 * are counted, the newest ones, at most `homeBounds.sessions`.
 */
export const countSessionsByDay = (
  db: Db,
  home: HomeOf,
  days: readonly Day[],
): Promise<z.infer<typeof sessionCount>[]> =>
  readRows(
    db.raw(
      countOf({ rows: 'sessions', readable: readableCondition }),
      valuesOf(home, days, homeBounds.sessions),
    ),
    sessionCount,
  );

/** The same of permission requests, by the session that asked: at most `homeBounds.requests`. */
export const countRequestsByDay = (
  db: Db,
  home: HomeOf,
  days: readonly Day[],
): Promise<z.infer<typeof requestCount>[]> =>
  readRows(
    db.raw(
      countOf({ rows: 'permission_requests r', readable: inReadableSession }),
      valuesOf(home, days, homeBounds.requests),
    ),
    requestCount,
  );

/**
 * The same of tool calls, by their outcome, with those that were refused beyond a limit: at most
 * `homeBounds.callEntries` entries of the trail.
 */
export const countCallsByDay = (
  db: Db,
  home: HomeOf,
  days: readonly Day[],
): Promise<z.infer<typeof callCount>[]> =>
  readRows(
    db.raw(
      countOf({
        rows: 'audit_events r',
        readable: inReadableSession,
        // Written out as in their index.
        which: `event in ('session.mcp.tool_called', 'session.mcp.calls_refused')`,
        ...{ at: 'at', status: `data ->> 'outcome'` },
        times: `case event when 'session.mcp.calls_refused' then (data ->> 'count')::bigint else 1 end`,
      }),
      valuesOf(home, days, homeBounds.callEntries),
    ),
    callCount,
  );

const decisionTime = z.object({ seconds: z.number().nullable() });

/** How long people took to decide, in the middle, of the requests that `countRequestsByDay` counts. */
export async function readMedianDecisionSeconds(
  db: Db,
  home: HomeOf,
  days: readonly Day[],
): Promise<number | null> {
  const newest = newestOf({
    ...{ rows: 'permission_requests r', readable: inReadableSession, more: ', decided_at' },
  });
  const statement = db.raw(
    `with ${newest}
     select percentile_cont(0.5) within group (order by extract(epoch from decided_at - at)::float8)
       filter (where status in ('approved', 'denied')) as seconds
     from newest`,
    valuesOf(home, days, homeBounds.requests),
  );
  return onlyRow(await readRows(statement, decisionTime)).seconds;
}

interface Counted {
  rows: string;
  /** The condition for who is no admin. */
  readable: string;
  which?: string;
  at?: string;
  status?: string;
  /** How often a row counts. */
  times?: string;
  more?: string;
}

const newestOf = ({
  rows,
  readable,
  which = 'true',
  at = 'created_at',
  status = 'status',
  times = '1',
  more = '',
}: Counted): string => `newest as materialized (
    select ${status} as status, ${at} as at, ${times} as times${more} from ${rows}
    where workspace_id = :workspaceId and ${which} and ${at} >= (:starts::timestamptz[])[1]
      and (:isAdmin or ${readable})
    order by ${at} desc limit :most)`;

const countOf = (counted: Counted): string => `with ${newestOf(counted)}
  select (:dates::text[])[width_bucket(at, :starts::timestamptz[])] as day, status,
    least(sum(times), ${Number.MAX_SAFE_INTEGER})::bigint as count,
    (select count(*)::int from newest) as looked
  from newest group by 1, 2`;

const valuesOf = ({ workspaceId, userId, readableBy }: HomeOf, days: readonly Day[], most: number) => ({
  ...{ workspaceId, userId, most },
  dates: days.map(({ date }) => date),
  starts: days.map(({ startMs }) => new Date(startMs)),
  isAdmin: readableBy === undefined,
});
