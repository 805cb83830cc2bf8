/** Which messages the session's sidecar holds, as far as the platform knows. */
import type { Db } from '../database.ts';
import { QuotaExceededError } from '../quotas/quota-exceeded.ts';

/** The sidecar holds everything up to `throughSeq`. */
export async function markInputsDelivered(db: Db, sessionId: string, throughSeq: number): Promise<void> {
  await db('session_inputs')
    .where({ session_id: sessionId })
    .where('seq', '<=', throughSeq)
    .whereNull('delivered_at')
    .update({ delivered_at: db.fn.now() });
}

/** A sidecar that begins holds nothing after `seq`, whatever the one before it was given. */
export async function markInputsUndelivered(
  db: Db,
  sessionId: string,
  { after }: { after: number },
): Promise<void> {
  await db('session_inputs')
    .where({ session_id: sessionId })
    .where('seq', '>', after)
    .whereNotNull('delivered_at')
    .update({ delivered_at: null });
}

/** However short, a message takes this much of the room for undelivered ones. */
const leastBytes = 1024;

/** Throws QuotaExceededError when the messages that wait for the sidecar and `text` exceed `limitBytes`. The session's row must be locked. */
export async function requireRoomForInput(
  db: Db,
  sessionId: string,
  { text, limitBytes }: { text: string; limitBytes: number },
): Promise<void> {
  const row = await db('session_inputs')
    .where({ session_id: sessionId })
    .whereNull('delivered_at')
    .first<{ bytes: number }>(
      db.raw('coalesce(sum(greatest(octet_length(text), ?)), 0)::bigint as bytes', [leastBytes]),
    );
  if (row.bytes + Math.max(Buffer.byteLength(text), leastBytes) > limitBytes) {
    throw new QuotaExceededError(
      limitBytes,
      'bytes of messages that wait for the agent of a session; send this one again once it has taken earlier ones',
    );
  }
}
