/** What the last seven days of a workspace's first page count, of sessions that the person may read. */
import * as z from 'zod';
import type { Day } from '../../contract/days.ts';
import { homeBounds } from '../../contract/home-bounds.ts';
import { requestStatus } from '../../contract/permission-request.ts';
import { sessionStatus } from '../../contract/session.ts';
import type { Db } from '../database.ts';
import { readRows } from '../read-rows.ts';
import { readableCondition } from '../sessions/conditions.ts';
import type { HomeOf } from './sessions.ts';

const counted = { day: z.iso.date(), count: z.int(), looked: z.int() };
const sessionCount = z.object({ ...counted, status: sessionStatus });
const requestCount = z.object({ ...counted, status: requestStatus });

const dayOf = '(:dates::text[])[width_bucket(created_at, :starts::timestamptz[])]';

/**
 * How many sessions that began on a day have which status now, of those that the person may read: `looked`
 * are counted, the newest ones, at most `homeBounds.sessionsOfWeek`.
 */
export const countSessionsOfWeek = (
  db: Db,
  home: HomeOf,
  days: readonly Day[],
): Promise<z.infer<typeof sessionCount>[]> =>
  readRows(
    db.raw(countOf('sessions', readableCondition), valuesOf(home, days, homeBounds.sessionsOfWeek)),
    sessionCount,
  );

/** The same of permission requests, by the session that asked. */
export const countRequestsOfWeek = (
  db: Db,
  home: HomeOf,
  days: readonly Day[],
): Promise<z.infer<typeof requestCount>[]> =>
  readRows(
    db.raw(
      countOf(
        'permission_requests r',
        `exists (select from sessions s where s.id = r.session_id and ${readableCondition})`,
      ),
      valuesOf(home, days, homeBounds.requestsOfWeek),
    ),
    requestCount,
  );

/** `readable`: the condition for who is no admin. */
const countOf = (table: string, readable: string): string => `
  with newest as materialized (
    select status, created_at from ${table}
    where workspace_id = :workspaceId and created_at >= (:starts::timestamptz[])[1] and (:isAdmin or ${readable})
    order by created_at desc limit :most)
  select ${dayOf} as day, status, count(*)::int as count,
    (select count(*)::int from newest) as looked
  from newest group by 1, 2`;

const valuesOf = ({ workspaceId, userId, readableBy }: HomeOf, days: readonly Day[], most: number) => ({
  ...{ workspaceId, userId, most },
  dates: days.map(({ date }) => date),
  starts: days.map(({ startMs }) => new Date(startMs)),
  isAdmin: readableBy === undefined,
});
