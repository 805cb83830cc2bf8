import { z } from 'zod';
import type { Db } from '../database.ts';

/**
 * The session and its ancestors, root first. Code that locks or writes several sessions of a tree must use this
 * order, to avoid deadlocks.
 */
export async function lineageOf(db: Db, sessionId: string): Promise<string[]> {
  const { rows } = await db.raw(
    `with recursive up as (
       select id, parent_session_id, 0 as distance from sessions where id = ?
       union all
       select s.id, s.parent_session_id, up.distance + 1 from sessions s join up on s.id = up.parent_session_id
     ) select id from up order by distance desc`,
    [sessionId],
  );
  return z
    .array(z.object({ id: z.string() }))
    .parse(rows)
    .map(({ id }) => id);
}
