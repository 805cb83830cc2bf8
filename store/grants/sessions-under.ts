/** Which sessions run under a grant: what ends, or has less, when it is revoked. */
import * as z from 'zod';
import { mostSessionsNamed, type SessionsUnder } from '../../contract/grant-list.ts';
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

/** Each session that has not ended counts once, however often it, or others, used the grant. */
const statement = (readable: string) => `
  select ranked.grant_id, ranked.running_count, ranked.id, ranked.agent_id, a.name as agent_name,
    coalesce(ranked.title, left(ltrim(ranked.prompt, E' \\t\\r\\n'), :titleStartCharacters)) as title_start
  from (
    select g.id as grant_id, s.*,
      count(*) over (partition by g.id)::int as running_count,
      row_number() over (partition by g.id order by s.created_at desc, s.id) as place
    from grants g
    join (
      select * from sessions where workspace_id = :workspaceId and ${unfinishedStatus} and ${readable}
    ) as s on s.id = g.session_id or s.id = g.bound_session_id
      or exists (select from grant_uses where session_id = s.id and grant_id = g.id)
    where g.workspace_id = :workspaceId and g.id = any(:ids)
  ) as ranked
  join agents a on a.id = ranked.agent_id
  where ranked.place <= :mostSessionsNamed
  order by ranked.grant_id, ranked.place`;

/**
 * By grant id, of grants under which one runs; with `readableBy`, of the sessions that this user may
 * read.
 */
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
