/**
 * Messages to channels and the outcome of their delivery. Their texts are elsewhere: see `read-delivery.ts`.
 */
import * as z from 'zod';
import {
  type ChannelMessage,
  channelMessage,
  type DeliveryFailure,
  type MessageKind,
} from '../../contract/channel.ts';
import type { Page, PageQuery } from '../../contract/page.ts';
import type { Db, Transaction } from '../database.ts';
import { pageByTime } from '../page.ts';
import { readRow, readRows } from '../read-rows.ts';

export interface NewChannelMessage {
  id: string;
  workspaceId: string;
  channel: { id: string; name: string };
  kind: MessageKind;
  sessionId: string | null;
  requestId: string | null;
  /** Where people reach the web UI; null when that is unknown. */
  linkOrigin: string | null;
  /** Set for a message that is not even tried. */
  failure: DeliveryFailure | null;
}

/** Idempotent by id, and by channel and request. */
export async function insertChannelMessage(trx: Transaction, message: NewChannelMessage): Promise<void> {
  const { failure } = message;
  await trx('channel_messages')
    .insert({
      id: message.id,
      workspace_id: message.workspaceId,
      channel_id: message.channel.id,
      channel_name: message.channel.name,
      kind: message.kind,
      session_id: message.sessionId,
      request_id: message.requestId,
      link_origin: message.linkOrigin,
      ...(failure === null ? {} : { status: 'failed' as const, failure, settled_at: trx.fn.now() }),
    })
    .onConflict()
    .ignore();
}

/**
 * Messages that wait to be delivered to the channel, counted up to `limit`: announcements, or the others.
 * What agents post takes no place of an announcement.
 */
export async function countWaiting(
  trx: Transaction,
  { channelId, isAnnouncement }: { channelId: string; isAnnouncement: boolean },
  limit: number,
): Promise<number> {
  const rows = await trx('channel_messages')
    .where({ channel_id: channelId, status: 'pending' })
    .where('kind', isAnnouncement ? '=' : '<>', 'permission_request')
    .limit(limit)
    .select('id');
  return rows.length;
}

/** The announcements of a request that wait to be delivered. */
export function listPendingAnnouncements(db: Db, requestId: string): Promise<string[]> {
  return db('channel_messages').where({ request_id: requestId, status: 'pending' }).orderBy('id').pluck('id');
}

/** Every message that waits to be delivered, for a worker that looks for lost ones. */
export function listPendingMessages(db: Db): Promise<string[]> {
  return db('channel_messages').where({ status: 'pending' }).orderBy('created_at').pluck('id');
}

const shownMessages = `
  select m.id, m.workspace_id, m.channel_name as channel, m.kind, m.status, m.failure, m.attempts, m.session_id, m.request_id,
    m.created_at, m.settled_at,
    case when a.id is not null then jsonb_build_object('id', a.id, 'name', a.name) end as agent
  from channel_messages m
  left join sessions s on s.id = m.session_id
  left join agents a on a.id = s.agent_id`;

/**
 * A workspace's messages to channels, newest first: those of the channel that has this name now, or all, also
 * of channels that are gone. Throws InvalidCursorError.
 */
export function listChannelMessages(
  db: Db,
  workspaceId: string,
  { channel }: { channel?: string | undefined },
  page: PageQuery,
): Promise<Page<ChannelMessage>> {
  const query = db.from(db.raw(`(${shownMessages}) messages`)).where({ workspace_id: workspaceId });
  if (channel !== undefined) {
    const current = db('channels').where({ workspace_id: workspaceId, name: channel }).select('id');
    query.whereIn('id', db('channel_messages').whereIn('channel_id', current).select('id'));
  }
  return pageByTime(db, query, channelMessage, 'created_at', page);
}

/** One message; null when there is none of this id. */
export function readChannelMessage(db: Db, id: string): Promise<ChannelMessage | null> {
  const columns = Object.keys(channelMessage.shape);
  const query = db
    .from(db.raw(`(${shownMessages}) messages`))
    .where({ id })
    .first(columns);
  return readRow(query, channelMessage);
}

const counted = z.object({ attempts: z.int() });

/**
 * Counts an attempt to deliver the message, and returns how many there were with it; null when
 * it is settled, or erased.
 */
export async function takeAttempt(db: Db, id: string): Promise<number | null> {
  const pending = db('channel_messages').where({ id, status: 'pending' });
  const [taken] = await readRows(pending.increment('attempts', 1).returning('attempts'), counted);
  return taken?.attempts ?? null;
}

const outcome = channelMessage.pick({ status: true, failure: true });
type Outcome = z.infer<typeof outcome>;

/** The state of a message; null once it is erased. */
export function readOutcome(db: Db, id: string): Promise<Outcome | null> {
  return readRow(db('channel_messages').where({ id }).first('status', 'failure'), outcome);
}

/**
 * Records the outcome of a message that waits; one that is settled stays as it is. `failure` is
 * null for a delivered one.
 */
export async function settleMessage(db: Db, id: string, failure: DeliveryFailure | null): Promise<void> {
  await db('channel_messages')
    .where({ id, status: 'pending' })
    .update({ status: failure === null ? 'delivered' : 'failed', failure, settled_at: db.fn.now() });
}

/** Removes what was settled more than `keptSeconds` ago. Returns how many. */
export function removeOldMessages(db: Db, { keptSeconds }: { keptSeconds: number }): Promise<number> {
  return db('channel_messages')
    .whereRaw('settled_at < now() - make_interval(secs => ?)', [keptSeconds])
    .delete();
}

/**
 * Takes one of the session's messages a minute, which it may also use at once; false when none is left. The
 * allowance is one point in time, so that it holds for any number of processes.
 */
export async function takeMessageAllowance(
  trx: Transaction,
  sessionId: string,
  { perMinute }: { perMinute: number },
): Promise<boolean> {
  const seconds = 60 / perMinute;
  const taken = await trx('sessions')
    .where({ id: sessionId })
    .whereRaw("coalesce(messages_paced_until, '-infinity') <= now() + make_interval(secs => ?)", [
      60 - seconds,
    ])
    .update({
      messages_paced_until: trx.raw('greatest(messages_paced_until, now()) + make_interval(secs => ?)', [
        seconds,
      ]),
    });
  return taken > 0;
}
