import type { SessionEvent } from '../../contract/session-event.ts';
import { type Db, prepared } from '../database.ts';
import { type EventRow, presentEvent } from './row.ts';

/** Events of one session with `seq` above `after`, in order. */
export async function listSessionEvents(
  db: Db,
  sessionId: string,
  { after, limit }: { after: number; limit: number },
): Promise<SessionEvent[]> {
  const rows = await prepared<EventRow>(
    db,
    'list_session_events',
    'select * from session_events where session_id = $1 and seq > $2 order by seq limit $3',
    [sessionId, after, limit],
  );
  return rows.map(presentEvent);
}
