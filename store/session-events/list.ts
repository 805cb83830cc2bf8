/** A session's events, in their order. */
import * as z from 'zod';
import { type SessionEvent, type SessionEventType, sessionEvent } from '../../contract/session-event.ts';
import { boundedSql, fewRows, readBoundedRows } from '../bounded-rows.ts';
import { type Db, prepared } from '../database.ts';
import { pageBytes } from '../page.ts';
import { readRows } from '../read-rows.ts';

export const eventRow = z.object({
  id: z.string(),
  session_id: z.string(),
  seq: z.int(),
  type: z.string(),
  at: z.string(),
  actor_type: z.string(),
  actor_id: z.string().nullable(),
  payload: z.unknown(),
});

export function presentEvent(row: z.infer<typeof eventRow>): SessionEvent {
  return sessionEvent.parse({
    id: row.id,
    seq: row.seq,
    session_id: row.session_id,
    type: row.type,
    at: row.at,
    actor: { type: row.actor_type, id: row.actor_id },
    payload: row.payload,
  });
}

/** Where somebody is in a session's events: the next ones have a `seq` above `after`. */
export interface EventPosition {
  sessionId: string;
  after: number;
}

const page = boundedSql({
  query: `(select * from session_events where session_id = asked.session_id and seq > asked.after
           order by seq limit $3::int + 1)`,
  limit: '$3::int',
  maxBytes: '$4::int',
});
const nextEvents = `
  select page.*, asked.number
  from unnest($1::uuid[], $2::int[]) with ordinality as asked (session_id, after, number)
  cross join lateral (${page}) as page
  order by asked.number, page.page_row`;
const pageRow = z.looseObject({ number: z.int(), page_found: z.int() });

/**
 * Events after each of the positions, in order: fewer than `limit` where they are large, none only at the
 * end. All pages together have the bytes of one, so the more positions there are, the fewer events each gets.
 * One that cannot be read is the error of its own page only.
 */
export async function listEventsAfter(
  db: Db,
  positions: readonly EventPosition[],
  limit: number,
): Promise<(SessionEvent[] | Error)[]> {
  const found = await readPages(db, positions, Math.min(limit, fewRows));
  const pages = found.map(({ rows }) => presentPage(rows));
  // As `fewRowsFirst` does for one page: only those that did not end within a few rows are measured further.
  const goOn = found.flatMap(({ rows, more }, at) =>
    more && rows.length === fewRows && limit > fewRows ? [at] : [],
  );
  const longer = goOn.flatMap((at) => positions[at] ?? []);
  for (const [index, { rows }] of (await readPages(db, longer, limit)).entries()) {
    pages[goOn[index] ?? -1] = presentPage(rows);
  }
  return pages;
}

/**
 * Events of one session with `seq` above `after`, in order: fewer than `limit` where they are large, none
 * only at the end.
 */
export async function listSessionEvents(
  db: Db,
  sessionId: string,
  { after, limit }: { after: number; limit: number },
): Promise<SessionEvent[]> {
  const [events = []] = await listEventsAfter(db, [{ sessionId, after }], limit);
  if (events instanceof Error) {
    throw events;
  }
  return events;
}

/**
 * The newest events of one session with `seq` below `before` and above `after`, in order: fewer than `limit`
 * where they are large, none only at the beginning.
 */
export async function listEventsBefore(
  db: Db,
  sessionId: string,
  { after, before, limit }: { after: number; before: number; limit: number },
): Promise<SessionEvent[]> {
  const newest = db('session_events')
    .where({ session_id: sessionId })
    .where('seq', '<', before)
    .where('seq', '>', after)
    .orderBy('seq', 'desc')
    .select(Object.keys(eventRow.shape));
  const { rows } = await readBoundedRows(db, newest, eventRow, { limit, maxBytes: pageBytes });
  return rows.map(presentEvent).reverse();
}

interface Page {
  rows: unknown[];
  more: boolean;
}

async function readPages(db: Db, positions: readonly EventPosition[], limit: number): Promise<Page[]> {
  const pages = positions.map((): Page => ({ rows: [], more: false }));
  if (positions.length > 0) {
    const columns = [positions.map(({ sessionId }) => sessionId), positions.map(({ after }) => after)];
    const values = [...columns, limit, Math.floor(pageBytes / positions.length)];
    for (const row of await readRows(prepared(db, 'list-events-after', nextEvents, values), pageRow)) {
      const of = pages[row.number - 1];
      if (of !== undefined) {
        of.rows.push(row);
        of.more = row.page_found > of.rows.length;
      }
    }
  }
  return pages;
}

function presentPage(rows: readonly unknown[]): SessionEvent[] | Error {
  try {
    return rows.map((row) => presentEvent(eventRow.parse(row)));
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** Whether the session has at least so many events of the type. */
export async function hasEvents(
  db: Db,
  { sessionId, type, count }: { sessionId: string; type: SessionEventType; count: number },
): Promise<boolean> {
  const row = await db('session_events')
    .where({ session_id: sessionId, type })
    .offset(count - 1)
    .first('id');
  return row !== undefined;
}
