import type { SessionEvent } from '../../contract/session-event.ts';
import { boundedSql, fewRowsFirst, readMeasured } from '../bounded-rows.ts';
import { type Db, prepared } from '../database.ts';
import { pageBytes } from '../read-page.ts';
import { eventRow, presentEvent } from './row.ts';

const nextEvents = boundedSql({
  query: '(select * from session_events where session_id = $1 and seq > $2 order by seq limit $3::int + 1)',
  limit: '$3::int',
  maxBytes: '$4',
});

/** Events of one session with `seq` above `after`, in order: fewer than `limit` where they are large, none only at the end. */
export async function listSessionEvents(
  db: Db,
  sessionId: string,
  { after, limit }: { after: number; limit: number },
): Promise<SessionEvent[]> {
  const { rows } = await fewRowsFirst(limit, (most) => {
    const values = [sessionId, after, most, pageBytes];
    return readMeasured(prepared(db, 'list_session_events', nextEvents, values), eventRow);
  });
  return rows.map(presentEvent);
}
