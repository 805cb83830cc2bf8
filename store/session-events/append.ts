/** The one way in which an event is written and announced to open pages. */
import { createHash } from 'node:crypto';
import { type NewSessionEvent, payloadByEventType, type SessionEvent } from '../../contract/session-event.ts';
import { type Db, hasSqlState, prepared, sqlState, type Transaction } from '../database.ts';
import { QuotaExceededError } from '../quotas/quotas.ts';
import { readRows } from '../read-rows.ts';
import { eventRow, presentEvent } from './list.ts';

/**
 * The same parts give the same UUID, so that an event of one cause is written once, however often it is
 * retried. Version 8: sidecars may choose version 4 only (`chosenId` in `contract/names.ts`), so they cannot
 * claim one of these in advance.
 */
export function derivedId(...parts: readonly string[]): string {
  const bytes = createHash('sha256').update(parts.join('\0')).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/**
 * Channel of the announcements; each is `<session id>:<seq>:<workspace id>:<type>`, without a `seq` for a
 * change that has no event.
 */
export const sessionEventChannel = 'session_events';

/**
 * Announces at commit that something of the session changed that has no event. Who follows its workspace is
 * told `what`, in the place of an event's type.
 */
export async function announceChange(
  trx: Transaction,
  { sessionId, workspaceId }: { sessionId: string; workspaceId: string },
  what: 'preview.ended',
): Promise<void> {
  await trx.raw('select pg_notify(?, ?)', [sessionEventChannel, `${sessionId}::${workspaceId}:${what}`]);
}

/**
 * The session's row counts the events, and its lock orders them: a smaller `seq` is never committed later.
 */
const appendEvent = `
  with known as (
    select * from session_events where id = $1
  ), counted as (
    update sessions set last_event_seq = last_event_seq + 1
    where id = $2 and not exists (select from known) returning last_event_seq, workspace_id
  ), written as (
    insert into session_events (id, session_id, seq, type, actor_type, actor_id, payload)
    select $1, $2, last_event_seq, $3, $4, $5, $6 from counted returning *
  )
  select known.*, null as announced from known
  union all
  select written.*,
    pg_notify('${sessionEventChannel}', concat_ws(':', written.session_id, seq, workspace_id, type))::text
    from written, counted`;

/**
 * Appends an event to a session's transcript and announces it, both at commit. The payload is parsed by its
 * type's schema; an existing event is returned unchanged. Throws a ZodError, or an Error for an unknown
 * session.
 */
export async function appendSessionEvent(
  db: Db,
  sessionId: string,
  event: NewSessionEvent,
): Promise<SessionEvent> {
  const payload = payloadByEventType[event.type].parse(event.payload);
  const values = [event.id, sessionId, event.type, event.actor.type, event.actor.id, JSON.stringify(payload)];
  const append = () => readRows(prepared(db, 'append_session_event', appendEvent, values), eventRow);
  const rows = await append().catch((error: unknown) => {
    // A concurrent duplicate has just written the same event.
    if (hasSqlState(error, sqlState.uniqueViolation) && !db.isTransaction) {
      return append();
    }
    throw error;
  });
  const [row] = rows;
  if (row?.session_id !== sessionId) {
    throw new Error(`there is no session ${sessionId}, or event ${event.id} is another session's`);
  }
  return presentEvent(row);
}

/** The session whose event this is; null when no event has this id. */
export async function findSessionOfEvent(db: Db, eventId: string): Promise<string | null> {
  const row = await db('session_events').where({ id: eventId }).first('session_id');
  return row?.session_id ?? null;
}

/** Whether the event is a message that did not come to its end. */
export async function isCutOff(db: Db, eventId: string): Promise<boolean> {
  const row = await db('session_events')
    .where({ id: eventId })
    .whereRaw(`payload -> 'cut_off' = 'true'`)
    .first('id');
  return row !== undefined;
}

/** Whether `takePublishedBytes` would add it now. */
export async function mayPublishBytes(
  db: Db,
  sessionId: string,
  bytes: { sizeBytes: number; limitBytes: number },
): Promise<boolean> {
  return (await withRoomFor(db, sessionId, bytes).first('id')) !== undefined;
}

/**
 * Adds to what the session's agent has published; false, and nothing added, when that would exceed
 * `limitBytes`.
 */
export async function takePublishedBytes(
  db: Db,
  sessionId: string,
  bytes: { sizeBytes: number; limitBytes: number },
): Promise<boolean> {
  const changed = await withRoomFor(db, sessionId, bytes).increment('published_event_bytes', bytes.sizeBytes);
  return changed > 0;
}

/**
 * Adds to what a session's agent has published. Throws QuotaExceededError when that would exceed
 * `limitBytes`.
 */
export async function requirePublishedBytes(
  db: Db,
  sessionId: string,
  bytes: { sizeBytes: number; limitBytes: number },
): Promise<void> {
  if (!(await takePublishedBytes(db, sessionId, bytes))) {
    throw new QuotaExceededError(bytes.limitBytes, 'bytes of what a session publishes');
  }
}

const withRoomFor = (
  db: Db,
  sessionId: string,
  { sizeBytes, limitBytes }: { sizeBytes: number; limitBytes: number },
) =>
  db('sessions')
    .where({ id: sessionId })
    .where('published_event_bytes', '<=', limitBytes - sizeBytes);
