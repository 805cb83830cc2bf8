import * as z from 'zod';
import { uuid } from '../../contract/names.ts';
import type { Db } from '../database.ts';
import { readRows } from '../read-rows.ts';

/**
 * The session and its ancestors, root first. Code that locks or writes several sessions of a tree must use this
 * order, to avoid deadlocks.
 */
export async function lineageOf(db: Db, sessionId: string): Promise<string[]> {
  const statement = db.raw(
    `with recursive up as (
       select id, parent_session_id, 0 as distance from sessions where id = ?
       union all
       select s.id, s.parent_session_id, up.distance + 1 from sessions s join up on s.id = up.parent_session_id
     ) select id from up order by distance desc`,
    [sessionId],
  );
  const rows = await readRows(statement, z.object({ id: uuid }));
  return rows.map(({ id }) => id);
}
