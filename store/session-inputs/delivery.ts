/** Tracks which messages the session's sidecar holds, as far as the platform knows, and whether its workflow needs a signal for one. */
import * as z from 'zod';
import { type Db, prepared } from '../database.ts';
import { QuotaExceededError } from '../quotas/quota-exceeded.ts';
import { onlyRow, readRows } from '../read-rows.ts';

/** Marks everything up to `throughSeq` as delivered to the sidecar. */
export async function markInputsDelivered(db: Db, sessionId: string, throughSeq: number): Promise<void> {
  await db('session_inputs')
    .where({ session_id: sessionId })
    .where('seq', '<=', throughSeq)
    .whereNull('delivered_at')
    .update({ delivered_at: db.fn.now() });
}

/** Marks everything after `seq` as undelivered: a new sidecar does not hold what its predecessor received. */
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

/** A message counts at least this much towards the limit of undelivered ones. */
const leastBytes = 1024;

/** Throws QuotaExceededError when the messages that wait for the sidecar and `text` exceed `limitBytes`. The session's row must be locked. */
export async function requireRoomForInput(
  db: Db,
  sessionId: string,
  { text, limitBytes }: { text: string; limitBytes: number },
): Promise<void> {
  const query = db('session_inputs')
    .where({ session_id: sessionId })
    .whereNull('delivered_at')
    .select(db.raw('coalesce(sum(greatest(octet_length(text), ?)), 0)::bigint as bytes', [leastBytes]));
  const { bytes } = onlyRow(await readRows(query, z.object({ bytes: z.int() })));
  if (bytes + Math.max(Buffer.byteLength(text), leastBytes) > limitBytes) {
    throw new QuotaExceededError(
      limitBytes,
      'bytes of messages that wait for the agent of a session; send this one again once it has taken earlier ones',
    );
  }
}

/**
 * Throws QuotaExceededError when all that other sessions have sent this one, and `text`, exceed `limitBytes`: its sidecar keeps every message. The
 * session's row must be locked.
 */
export async function requireRoomForSessionMessage(
  db: Db,
  sessionId: string,
  { text, limitBytes }: { text: string; limitBytes: number },
): Promise<void> {
  const query = db('session_inputs')
    .where({ session_id: sessionId, kind: 'session_message' })
    .select(db.raw('coalesce(sum(octet_length(text)), 0)::bigint as bytes'));
  const { bytes } = onlyRow(await readRows(query, z.object({ bytes: z.int() })));
  if (bytes + Buffer.byteLength(text) > limitBytes) {
    throw new QuotaExceededError(
      limitBytes,
      'bytes of messages that a session takes from others in its life',
    );
  }
}
