/**
 * Messages to a session's agent: which of them its sidecar holds, as far as the platform knows, and whether
 * its workflow needs a signal for one.
 */
import * as z from 'zod';
import { type InputMessage, inputMessage, type MessageSender } from '../../contract/agent-contract.ts';
import type { PermissionDecision } from '../../contract/permission-request.ts';
import { readBoundedRows } from '../bounded-rows.ts';
import { type Db, hasSqlState, prepared, sqlState } from '../database.ts';
import { QuotaExceededError } from '../quotas/quotas.ts';
import { onlyRow, readRows } from '../read-rows.ts';

const inputRow = z.object({
  id: z.string(),
  session_id: z.string(),
  seq: z.int(),
  kind: z.string(),
  text: z.string(),
  decision: z.unknown(),
  input_request_id: z.string().nullable(),
  sender: z.unknown(),
  at: z.string(),
});

function presentInput(row: z.infer<typeof inputRow>): InputMessage {
  return inputMessage.parse({
    id: row.id,
    seq: row.seq,
    kind: row.kind,
    text: row.text,
    decision: row.decision,
    input_request_id: row.input_request_id,
    sender: row.sender ?? undefined,
    at: row.at,
  });
}

interface NewInput {
  id: string;
  kind: InputMessage['kind'];
  text: string;
  decision: PermissionDecision | null;
  inputRequestId: string | null;
  /** Of a message from another session. */
  sender?: MessageSender;
}

const addInput = `
  with known as (
    select * from session_inputs where id = $1
  ), counted as (
    update sessions set last_input_seq = last_input_seq + 1, last_activity_at = now()
    where id = $2 and not exists (select from known) returning last_input_seq
  ), written as (
    insert into session_inputs (id, session_id, seq, kind, text, decision, input_request_id, sender)
    select $1, $2, last_input_seq, $3, $4, $5, $6, $7 from counted returning *
  )
  select * from known union all select * from written`;

/**
 * Adds a message for the agent, in order. An existing one is returned unchanged. Throws for an unknown
 * session.
 */
export async function addSessionInput(db: Db, sessionId: string, input: NewInput): Promise<InputMessage> {
  const values = [
    input.id,
    sessionId,
    input.kind,
    input.text,
    input.decision === null ? null : JSON.stringify(input.decision),
    input.inputRequestId,
    input.sender === undefined ? null : JSON.stringify(input.sender),
  ];
  const add = () => readRows(prepared(db, 'add_session_input', addInput, values), inputRow);
  const [row] = await add().catch((error: unknown) => {
    // A concurrent duplicate has just written the same message.
    if (hasSqlState(error, sqlState.uniqueViolation) && !db.isTransaction) {
      return add();
    }
    throw error;
  });
  if (row?.session_id !== sessionId) {
    throw new Error(`there is no session ${sessionId}, or message ${input.id} is another session's`);
  }
  return presentInput(row);
}

/** Limits of one answer or delivery; a sidecar accepts answers of twice as many bytes. */
const batch = { limit: 100, maxBytes: 2 * 1024 * 1024 };

/**
 * The next messages for the agent with `seq` above `after`, in order, as many as one delivery carries. Empty
 * when there are none.
 */
export async function listSessionInputs(
  db: Db,
  sessionId: string,
  { after }: { after: number },
): Promise<InputMessage[]> {
  const query = db('session_inputs').where({ session_id: sessionId }).where('seq', '>', after).orderBy('seq');
  return (await readBoundedRows(db, query, inputRow, batch)).rows.map(presentInput);
}

/** Whether the session's agent was ever sent a message. */
export async function hasSessionInputs(db: Db, sessionId: string): Promise<boolean> {
  return (await db('session_inputs').where({ session_id: sessionId }).first('seq')) !== undefined;
}

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
 * Whether the workflow of a session needs a signal for this message: the session runs, and the message before
 * it is no longer waiting, so that no delivery is under way that would find it. To be asked once the message
 * is committed. A session that does not run yet gets its messages when it does, and a delivery reads again
 * after it has marked what it delivered: in both cases after this answer, so that it finds the message.
 */
export async function needsWake(db: Db, messageId: string): Promise<boolean> {
  const found = await readRows(prepared(db, 'find_wake', findWake, [messageId]), z.object({ seq: z.int() }));
  return found.length > 0;
}

/** A message counts at least this much towards the limit of undelivered ones. */
const leastBytes = 1024;

/**
 * Throws QuotaExceededError when the messages that wait for the sidecar and `text` exceed `limitBytes`. The
 * session's row must be locked.
 */
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
 * Throws QuotaExceededError when all that other sessions have sent this one, and `text`, exceed `limitBytes`:
 * its sidecar keeps every message. The session's row must be locked.
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
