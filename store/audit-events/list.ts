/** Reading the audit trail, newest first. */
import type { Knex } from 'knex';
import * as z from 'zod';
import {
  type AuditEvent,
  type AuditEventCounts,
  type AuditEventName,
  auditEvent,
  auditEventName,
  type CallOutcome,
  callOutcome,
} from '../../contract/audit-event.ts';
import { uuid } from '../../contract/names.ts';
import type { Page, PageQuery } from '../../contract/page.ts';
import type { Db } from '../database.ts';
import { decodeCursor, encodeCursor, readPage } from '../page.ts';
import { readRow, readRows } from '../read-rows.ts';

export interface AuditEventFilter {
  events?: readonly AuditEventName[] | undefined;
  /** The actor's id. */
  actor?: string | undefined;
  /** The resource's id or name. */
  resource?: string | undefined;
  /** What happened in any of these sessions. */
  sessionIds?: readonly string[] | undefined;
  /** Not before this time. */
  from?: string | undefined;
  /** Before this time. */
  to?: string | undefined;
  /** Of tool calls: how they ended. */
  outcomes?: readonly CallOutcome[] | undefined;
  /** Of tool calls: the tool, or `server.tool`. */
  tool?: string | undefined;
  /** In a name, or the whole of an id. */
  text?: string | undefined;
}

/** No page reads more rows than this to find what no index leads to. */
export const entriesLookedAt = 10_000;

const auditEventRow = z.object({
  id: z.string(),
  position: z.int(),
  workspace_id: z.string(),
  event: z.string(),
  at: z.string(),
  actor_type: z.string(),
  actor_id: z.string().nullable(),
  actor_name: z.string().nullable(),
  resource_type: z.string(),
  resource_id: z.string(),
  resource_name: z.string(),
  session_id: z.string().nullable(),
  data: z.unknown(),
});

export interface AuditEventPage extends Page<AuditEvent> {
  /** Where the search stopped, having looked at enough; null where the page is full, or is the last. */
  lookedBackTo: string | null;
}

/**
 * One page of events that pass the filter, which may be short, and even empty, although there are more: a
 * search looks at `entriesLookedAt` entries at a time. Throws InvalidCursorError.
 */
export async function listAuditEvents(
  db: Db,
  workspaceId: string,
  filter: AuditEventFilter,
  page: PageQuery,
): Promise<AuditEventPage> {
  const { floor: _, ...found } = await readPageOfTrail(db, workspaceId, filter, page);
  return found;
}

/** `known`: where the page before this one was to stop. It holds until it is reached: finding it is work. */
async function readPageOfTrail(
  db: Db,
  workspaceId: string,
  filter: AuditEventFilter,
  page: PageQuery,
  known?: Floor,
): Promise<AuditEventPage & { floor: Floor }> {
  const before = decodeCursor(page.cursor, z.int());
  const isStill = known !== undefined && (known === null || (before !== null && before > known.position));
  const floor = isStill
    ? known
    : isSearch(filter)
      ? await floorOf(db, { workspaceId, events: filter.events, before })
      : null;
  // Of each of the events so many are read as fit into the page.
  const ofEach = Math.floor(entriesLookedAt / (filter.events?.length || 1));
  const limit = Math.min(page.limit, ofEach - 1);
  const between = { before, from: floor?.position ?? null };
  const query = newestFirst(db, workspaceId, filter, { ...between, most: limit + 1 });
  const { rows, nextCursor } = await readPage(db, query, auditEventRow, limit, ({ position }) => position);
  const items = rows.map(present);
  if (nextCursor !== null || floor === null || isBefore(floor.recorded_at, filter.from)) {
    return { items, nextCursor, lookedBackTo: null, floor };
  }
  return { items, nextCursor: encodeCursor(floor.position), lookedBackTo: floor.recorded_at, floor };
}

/** What no index leads to. */
const isSearch = ({ outcomes, tool, text, actor, resource, from, to }: AuditEventFilter) =>
  [outcomes, tool, text, actor, resource, from, to].some((part) => part !== undefined);

const dayMs = 24 * 3600 * 1000;

/** A record is not older than the call that it is of, but for a clock that is wrong: by less than a day. */
const isBefore = (recordedAt: string, from: string | undefined) =>
  from !== undefined && Date.parse(recordedAt) < Date.parse(from) - dayMs;

const floorRow = z.object({ position: z.int(), recorded_at: z.string() });

/** The last entry that a search looks at; null where it comes to the end. */
type Floor = z.infer<typeof floorRow> | null;

async function floorOf(
  db: Db,
  {
    workspaceId,
    events,
    before,
  }: { workspaceId: string; events: AuditEventFilter['events']; before: number | null },
): Promise<Floor> {
  const last = (offset: number) => {
    const query = db('audit_events')
      .where({ workspace_id: workspaceId })
      .orderBy('position', 'desc')
      .offset(offset - 1)
      .limit(1)
      .select('position');
    return before === null ? query : query.where('position', '<', before);
  };
  // The place alone is what indexes hold: to count off to it reads no entry.
  const place =
    events === undefined
      ? last(entriesLookedAt)
      : ofEachEvent(db, events, last(Math.floor(entriesLookedAt / Math.max(1, events.length))))
          .orderBy('position', 'desc')
          .limit(1);
  const query = db('audit_events')
    .where({ workspace_id: workspaceId })
    .where('position', place)
    .first('position', 'recorded_at');
  return readRow(query, floorRow);
}

/** The rows of `query`, which is ordered and limited, for each of the events: one walk of the index each. */
const ofEachEvent = (db: Db, events: readonly string[], query: Knex.QueryBuilder): Knex.QueryBuilder =>
  db
    .from(
      db.raw('unnest(?::text[]) as wanted(event) cross join lateral ? as found', [
        [...events],
        query.whereRaw('audit_events.event = wanted.event'),
      ]),
    )
    .select('found.*');

function newestFirst(
  db: Db,
  workspaceId: string,
  filter: AuditEventFilter,
  { before, from, most }: { before: number | null; from: number | null; most: number },
): Knex.QueryBuilder {
  const query = db('audit_events').where({ workspace_id: workspaceId }).orderBy('position', 'desc');
  if (before !== null) {
    query.where('position', '<', before);
  }
  if (from !== null) {
    query.where('position', '>=', from);
  }
  wherePasses(db, query, workspaceId, filter);
  const { events } = filter;
  if (events === undefined) {
    return query;
  }
  const [only, ...others] = events;
  return only !== undefined && others.length === 0
    ? query.where('event', only)
    : ofEachEvent(db, events, query.limit(most)).orderBy('position', 'desc');
}

/** Whatever the event is. */
function wherePasses(
  db: Db,
  query: Knex.QueryBuilder,
  workspaceId: string,
  { actor, resource, sessionIds, from, to, outcomes, tool, text }: AuditEventFilter,
): void {
  if (actor !== undefined) {
    query.where('actor_id', actor);
  }
  if (resource !== undefined) {
    query.where((either) =>
      either
        .where('resource_id', uuid.safeParse(resource).data ?? resource)
        .orWhere('resource_name', resource),
    );
  }
  if (sessionIds !== undefined) {
    query.whereIn('session_id', sessionIds);
  }
  if (from !== undefined) {
    query.where('at', '>=', from);
  }
  if (to !== undefined) {
    query.where('at', '<', to);
  }
  if (outcomes !== undefined) {
    query.whereRaw(`data ->> 'outcome' = any(?)`, [[...outcomes]]);
  }
  if (tool !== undefined) {
    query.whereRaw(`(data ->> 'tool' = :tool or ${serverAndTool} = :tool)`, { tool });
  }
  if (text !== undefined) {
    whereMentions(db, query, workspaceId, text);
  }
}

const serverAndTool = `(data ->> 'name') || '.' || (data ->> 'tool')`;

/** Names of which a part is looked for. Never what a call was made with, or what it answered. */
const searchedNames = [
  'resource_name',
  'actor_name',
  'event',
  `data ->> 'name'`,
  `data ->> 'tool'`,
  serverAndTool,
  `data ->> 'agent_name'`,
  `data ->> 'child_agent_name'`,
];
const searchedIds = [
  'id::text',
  'resource_id',
  'session_id::text',
  'actor_id::text',
  `data ->> 'granted_via'`,
  `data ->> 'request_id'`,
];

/** People are found by the name that they have now. */
function whereMentions(db: Db, query: Knex.QueryBuilder, workspaceId: string, text: string): void {
  const wanted = text.toLowerCase();
  const people = db('members as m')
    .join('users as u', 'u.id', 'm.user_id')
    .where('m.workspace_id', workspaceId)
    .whereRaw('strpos(lower(u.name), ?) > 0', [wanted])
    .select('u.id');
  query.where((either) => {
    either.whereIn('actor_id', people);
    for (const name of searchedNames) {
      either.orWhereRaw(`strpos(lower(${name}), ?) > 0`, [wanted]);
    }
    for (const id of searchedIds) {
      either.orWhereRaw(`starts_with(${id}, ?)`, [wanted]);
    }
  });
}

const countRow = z.object({
  event: auditEventName,
  outcome: callOutcome.nullable(),
  tool: z.string().nullable(),
  count: z.int(),
});
const mostToolsCounted = 50;

/** What the newest entries are, of those that pass the filter: how many a choice of the filter would show. */
export async function countAuditEvents(
  db: Db,
  workspaceId: string,
  filter: Omit<AuditEventFilter, 'events' | 'outcomes' | 'tool'>,
): Promise<AuditEventCounts> {
  const floor = await floorOf(db, { workspaceId, events: undefined, before: null });
  const query = newestFirst(db, workspaceId, filter, {
    before: null,
    from: floor?.position ?? null,
    most: entriesLookedAt,
  })
    .clearOrder()
    .select('event', {
      outcome: db.raw(`case event when 'session.mcp.tool_called' then data ->> 'outcome' end`),
      tool: db.raw(`case event when 'session.mcp.tool_called' then ${serverAndTool} end`),
      count: db.raw('count(*)::int'),
    })
    .groupByRaw('1, 2, 3');
  const rows = await readRows(query, countRow);
  return {
    events: sums(rows, ({ event }) => event),
    outcomes: sums(rows, ({ outcome }) => outcome),
    tools: sums(rows, ({ tool }) => tool).slice(0, mostToolsCounted),
    total: rows.reduce((sum, { count }) => sum + count, 0),
    is_whole: floor === null,
  };
}

/** Most frequent first. */
function sums<Row extends { count: number }, Value extends string>(
  rows: readonly Row[],
  keyOf: (row: Row) => Value | null,
): { value: Value; count: number }[] {
  const counts = new Map<Value, number>();
  for (const row of rows) {
    const value = keyOf(row);
    if (value !== null) {
      counts.set(value, (counts.get(value) ?? 0) + row.count);
    }
  }
  return [...counts].map(([value, count]) => ({ value, count })).sort((a, b) => b.count - a.count);
}

/**
 * Few, since a process does nothing else while it checks the rows of one: the requests of others wait for it.
 */
const exportBatch = 100;

export type ReadBatch = (read: () => Promise<Page<AuditEvent>>) => Promise<Page<AuditEvent>>;

/**
 * Every event that passes the filter, newest first, in batches so that an export of any size needs little
 * memory. `readBatch` runs the read of each one, when it is its turn.
 */
export async function* auditEventBatches(
  db: Db,
  workspaceId: string,
  filter: AuditEventFilter,
  readBatch: ReadBatch = (read) => read(),
): AsyncGenerator<AuditEvent[]> {
  let cursor: string | null = encodeCursor(Number.MAX_SAFE_INTEGER);
  let floor: Floor | undefined;
  while (cursor !== null) {
    const page: PageQuery = { cursor, limit: exportBatch };
    const { items, nextCursor } = await readBatch(async () => {
      const found = await readPageOfTrail(db, workspaceId, filter, page, floor);
      ({ floor } = found);
      return found;
    });
    yield items;
    cursor = nextCursor;
  }
}

function present(row: z.infer<typeof auditEventRow>): AuditEvent {
  return auditEvent.parse({
    id: row.id,
    event: row.event,
    at: row.at,
    actor: { type: row.actor_type, id: row.actor_id, name: row.actor_name },
    workspace_id: row.workspace_id,
    resource: { type: row.resource_type, id: row.resource_id, name: row.resource_name },
    session_id: row.session_id,
    data: row.data,
  });
}
