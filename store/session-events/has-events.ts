import type { SessionEventType } from '../../contract/session-event.ts';
import type { Db } from '../database.ts';

/** Whether the session has at least so many events of the type. */
export async function hasEvents(
  db: Db,
  { sessionId, type, count }: { sessionId: string; type: SessionEventType; count: number },
): Promise<boolean> {
  const row = await db('session_events')
    .where({ session_id: sessionId, type })
    .offset(count - 1)
    .first('id');
  return row !== undefined;
}
