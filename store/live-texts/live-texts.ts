/**
 * What agents have written of the message that they still write: one row of a session, replaced while it
 * grows (docs/decisions/0070-live-text.md).
 */
import * as z from 'zod';
import { uuid } from '../../contract/names.ts';
import { type Db, prepared, type Transaction } from '../database.ts';
import { readRow, readRows } from '../read-rows.ts';
import { sessionEventChannel } from '../session-events/append.ts';

const liveText = z.object({ session_id: uuid, message_id: uuid, text: z.string() });
export type LiveText = z.infer<typeof liveText>;

/** A message that is an event is not written any more, and none gets shorter, however late a piece comes. */
const replaceText = `
  with shown as (
    insert into session_live_texts as known (session_id, message_id, text)
    select id, $2, $3 from sessions
    where id = $1 and ended_at is null and not exists (select from session_events where id = $2)
    on conflict (session_id) do update set text = excluded.text, updated_at = now()
    where known.message_id = excluded.message_id and starts_with(excluded.text, known.text)
    returning session_id
  )
  select shown.session_id, pg_notify('${sessionEventChannel}', concat(id, '::', workspace_id, ':live_text'))::text
  from shown join sessions on id = session_id`;

/** Announces it to open pages. Returns false, and changes nothing, beside a text that does not begin it. */
export async function replaceLiveText(db: Db, { session_id, message_id, text }: LiveText): Promise<boolean> {
  const rows = await readRows(
    prepared(db, 'replace_live_text', replaceText, [session_id, message_id, text]),
    z.object({ session_id: uuid }),
  );
  return rows.length > 0;
}

/** Takes it away; null when there is none. */
export async function takeLiveText(trx: Transaction, sessionId: string): Promise<LiveText | null> {
  const statement = trx('session_live_texts')
    .where({ session_id: sessionId })
    .delete(['session_id', 'message_id', 'text']);
  const [taken = null] = await readRows(statement, liveText);
  return taken;
}

/** Of another message than this one; null when there is none. */
export const findOtherLiveText = (db: Db, sessionId: string, messageId: string): Promise<LiveText | null> =>
  readRow(
    db('session_live_texts')
      .where({ session_id: sessionId })
      .whereNot({ message_id: messageId })
      .first('session_id', 'message_id', 'text'),
    liveText,
  );

/** Its sidecar, which tells it again now and then, has died; it stays there until it is an event. */
export const isOld = `updated_at < now() - interval '2 minutes'`;

const readTexts = `
  select l.session_id, l.message_id, l.text
  from session_live_texts l join sessions s on s.id = l.session_id
  where l.session_id = any($1::uuid[]) and s.ended_at is null and not l.${isOld}
    and not exists (select from session_events e where e.id = l.message_id)`;

/** Those of the sessions whose agents write a message that is no event yet, by session. */
export async function readLiveTexts(
  db: Db,
  sessionIds: readonly string[],
): Promise<ReadonlyMap<string, LiveText>> {
  const rows = await readRows(prepared(db, 'read_live_texts', readTexts, [sessionIds]), liveText);
  return new Map(rows.map((row) => [row.session_id, row]));
}
