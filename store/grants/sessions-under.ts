/** Which sessions run under a grant: what ends, or has less, when it is revoked. */
import * as z from 'zod';
import { mostSessionsNamed, type SessionsUnder, usesLookedAt } from '../../contract/grant-list.ts';
import { uuid } from '../../contract/names.ts';
import { sessionTitle, titleStartCharacters } from '../../contract/session-title.ts';
import type { Db } from '../database.ts';
import { readRows } from '../read-rows.ts';
import { readableCondition, unfinishedStatus } from '../sessions/conditions.ts';

const row = z.object({
  grant_id: uuid,
  running_count: z.int(),
  id: uuid,
  title_start: z.string(),
  agent_id: uuid,
  agent_name: z.string(),
});

/** A session counts once, however often it used the grant; the newest uses alone are read, so that this ends. */
const statement = (readable: string) => `
  select ranked.grant_id, ranked.running_count, ranked.id, ranked.agent_id, a.name as agent_name,
    coalesce(ranked.title, left(ltrim(ranked.prompt, E' \\t\\r\\n'), :titleStartCharacters)) as title_start
  from (
    select found.grant_id, s.*,
      count(*) over (partition by found.grant_id)::int as running_count,
      row_number() over (partition by found.grant_id order by s.created_at desc, s.id) as place
    from (
      select g.id as grant_id, used.session_id
      from grants g
      cross join lateral (
        select session_id from (
          select session_id from grant_uses where grant_id = g.id order by at desc, call_id desc
          limit :usesLookedAt
        ) as newest
        union select g.session_id union select g.bound_session_id
      ) as used
      where g.workspace_id = :workspaceId and g.id = any(:ids)
    ) as found
    join (select * from sessions where ${unfinishedStatus} and ${readable}) as s on s.id = found.session_id
  ) as ranked
  join agents a on a.id = ranked.agent_id
  where ranked.place <= :mostSessionsNamed
  order by ranked.grant_id, ranked.place`;

/** By grant id, of grants under which one runs; with `readableBy`, of the sessions that this user may read. */
export async function readSessionsUnder(
  db: Db,
  {
    workspaceId,
    grantIds,
    readableBy,
  }: { workspaceId: string; grantIds: readonly string[]; readableBy: string | undefined },
): Promise<Map<string, SessionsUnder>> {
  const sql = statement(readableBy === undefined ? 'true' : readableCondition);
  const query = db.raw(sql, {
    workspaceId,
    ids: [...grantIds],
    usesLookedAt,
    mostSessionsNamed,
    titleStartCharacters,
    ...(readableBy === undefined ? {} : { userId: readableBy }),
  });
  const found = new Map<string, SessionsUnder>();
  for (const { grant_id: grantId, ...session } of await readRows(query, row)) {
    const under = found.get(grantId) ?? { running_count: session.running_count, running_sessions: [] };
    under.running_sessions.push({
      id: session.id,
      title: sessionTitle(session.id, session.title_start),
      agent: { id: session.agent_id, name: session.agent_name },
    });
    found.set(grantId, under);
  }
  return found;
}
