import type { Db } from '../database.ts';

/** The session whose event this is; null when no event has this id. */
export async function findSessionOfEvent(db: Db, eventId: string): Promise<string | null> {
  const row = await db('session_events').where({ id: eventId }).first('session_id');
  return row?.session_id ?? null;
}

/** Adds to what the session's agent has published; false, and nothing added, when that would exceed `limitBytes`. */
export async function takePublishedBytes(
  db: Db,
  sessionId: string,
  { sizeBytes, limitBytes }: { sizeBytes: number; limitBytes: number },
): Promise<boolean> {
  const changed = await db('sessions')
    .where({ id: sessionId })
    .where('published_event_bytes', '<=', limitBytes - sizeBytes)
    .increment('published_event_bytes', sizeBytes);
  return changed > 0;
}
