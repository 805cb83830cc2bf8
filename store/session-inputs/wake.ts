import * as z from 'zod';
import { type Db, prepared } from '../database.ts';
import { readRows } from '../read-rows.ts';

const findWake = `
  select message.seq
  from session_inputs message join sessions on sessions.id = message.session_id
  where message.id = $1 and message.delivered_at is null and sessions.status = 'running'
    and not exists (
      select from session_inputs earlier
      where earlier.session_id = message.session_id and earlier.seq = message.seq - 1 and earlier.delivered_at is null
    )`;

/**
 * Whether the workflow of a session needs a signal for this message: the session runs, and the message before it is no longer waiting, so that no delivery is
 * under way that would find it. To be asked once the message is committed. A session that does not run yet gets its messages when it does, and a delivery
 * reads again after it has marked what it delivered: in both cases after this answer, so that it finds the message.
 */
export async function needsWake(db: Db, messageId: string): Promise<boolean> {
  const found = await readRows(prepared(db, 'find_wake', findWake, [messageId]), z.object({ seq: z.int() }));
  return found.length > 0;
}
