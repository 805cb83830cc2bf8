import type { Db } from '../database.ts';

/** How long a permission request of this session waits for a person, in seconds; null where the platform's limit counts. */
export async function readRequestExpiry(db: Db, sessionId: string): Promise<number | null> {
  const row = await db('sessions').where({ id: sessionId }).first('request_expiry_seconds');
  return row?.request_expiry_seconds ?? null;
}
