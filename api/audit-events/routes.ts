import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import * as z from 'zod';
import {
  type AuditEvent,
  auditEvent,
  auditEventCounts,
  auditEventName,
  auditKind,
  callOutcome,
  eventsByKind,
  refusedOutcomes,
} from '../../contract/audit-event.ts';
import { timestamp, uuid } from '../../contract/names.ts';
import { nextCursor, pageQuery } from '../../contract/page.ts';
import {
  type AuditEventFilter,
  auditEventBatches,
  countAuditEvents,
  entriesLookedAt,
  listAuditEvents,
} from '../../store/audit-events/list.ts';
import type { Db } from '../../store/database.ts';
import { listTree } from '../../store/sessions/tree.ts';
import { recordExport } from '../../store/workspaces/workspaces.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { invalid } from '../errors.ts';
import { admins } from '../policies/access.ts';
import { type AnyRoute, defineRoute, written } from '../route.ts';
import { createExportQueue } from './export-queue.ts';

const ndjson = 'application/x-ndjson';
const pointInTime = z.iso.datetime({ offset: true });

export function auditEventRoutes({ db }: Pick<ApiDependencies, 'db'>): AnyRoute[] {
  const readerOf = createExportQueue();
  return [
    defineRoute({
      method: 'get',
      path: '/workspaces/{slug}/audit-events',
      summary: `Audit events, newest first; all that pass the filter as ${ndjson} when asked for`,
      scope: 'workspace',
      access: admins('audit.read'),
      isCompressed: true,
      query: pageQuery.extend(filterFields),
      response: z.strictObject({
        audit_events: z.array(auditEvent),
        next_cursor: nextCursor,
        /** A search looked at all entries back to here, and found no more; `next_cursor` leads on. */
        looked_back_to: timestamp.nullable(),
      }),
      async handler({ workspace, user, query, ctx }) {
        const { cursor, limit, ...rest } = query;
        const filter = await filterOf(db, workspace.id, rest);
        const isWhole = Object.values(filter).every((each) => each === undefined);
        if (ctx.accepts(['application/json', ndjson]) === ndjson) {
          ctx.type = ndjson;
          const readBatch = readerOf({ userId: user.id, workspaceId: workspace.id, response: ctx.res });
          const lines = asLines(auditEventBatches(db, workspace.id, filter, readBatch));
          // One batch is made ahead of the reader.
          ctx.body = Readable.from(isWhole ? withRecord(db, workspace.id, lines) : lines, {
            highWaterMark: 1,
          });
          return written;
        }
        const page = await listAuditEvents(db, workspace.id, filter, { cursor, limit });
        return {
          audit_events: page.items,
          next_cursor: page.nextCursor,
          looked_back_to: page.lookedBackTo,
        };
      },
    }),
    defineRoute({
      method: 'get',
      path: '/workspaces/{slug}/audit-event-counts',
      summary: `What the newest ${entriesLookedAt} audit events are, by event, outcome and tool of calls`,
      scope: 'workspace',
      access: admins('audit.read'),
      query: z.object(filterFields).omit({ event: true, kind: true, outcome: true, tool: true }),
      response: z.strictObject({ counts: auditEventCounts }),
      async handler({ workspace, query }) {
        const { events: _, ...filter } = await filterOf(db, workspace.id, query);
        return { counts: await countAuditEvents(db, workspace.id, filter) };
      },
    }),
  ];
}

const filterFields = {
  /** One or more, comma-separated. */
  event: z.string().max(4000).optional(),
  kind: auditKind.optional(),
  /** Id of the user or agent. */
  actor: uuid.optional(),
  /** Id or name of the resource. */
  resource: z.string().max(200).optional(),
  /** Id of a session: what happened in that one and in all below it. */
  tree: uuid.optional(),
  from: pointInTime.optional(),
  to: pointInTime.optional(),
  /** Of tool calls; one or more, comma-separated. */
  outcome: z.string().max(200).optional(),
  /** Of tool calls: a tool, or `server.tool`. */
  tool: z.string().max(400).optional(),
  /** Part of the name of an agent, a person, a tool or a resource, or the beginning of an id. */
  q: z.string().trim().min(2).max(100).optional(),
};
type FilterFields = z.infer<z.ZodObject<typeof filterFields>>;

/** Throws 422 `validation_failed` for a list with something else in it. */
async function filterOf(
  db: Db,
  workspaceId: string,
  { event, kind, tree, outcome, q, ...rest }: FilterFields,
): Promise<AuditEventFilter> {
  const events = listIn('event', auditEventName, event);
  const outcomes = listIn('outcome', callOutcome, outcome);
  const ofKind = kind === undefined ? undefined : eventsByKind[kind];
  return {
    ...rest,
    text: q,
    events: bothOf(events, ofKind),
    outcomes: bothOf(outcomes, kind === 'refusals' ? refusedOutcomes : undefined),
    sessionIds: tree === undefined ? undefined : await listTree(db, { sessionId: tree, workspaceId }),
  };
}

function listIn<Value extends string>(
  path: string,
  value: z.ZodType<Value>,
  list: string | undefined,
): Value[] | undefined {
  if (list === undefined) {
    return undefined;
  }
  const parsed = z.array(value).safeParse([...new Set(list.split(','))]);
  if (!parsed.success) {
    const message = 'must be names of the document with commas between them';
    throw invalid([{ path, code: 'invalid_format', message }]);
  }
  return parsed.data;
}

/** What is in both lists; undefined says all. */
function bothOf<Value>(
  one: readonly Value[] | undefined,
  other: readonly Value[] | undefined,
): readonly Value[] | undefined {
  return one === undefined || other === undefined
    ? (one ?? other)
    : one.filter((value) => other.includes(value));
}

/**
 * The record of a removed workspace names its last whole export: whoever has the file can
 * show that it is that one.
 */
async function* withRecord(
  db: Db,
  workspaceId: string,
  lines: AsyncIterable<string>,
): AsyncGenerator<string> {
  const hash = createHash('sha256');
  for await (const line of lines) {
    hash.update(line);
    yield line;
  }
  await recordExport(db, workspaceId, hash.digest('hex'));
}

/** Those of a batch at once: a piece for each line costs more than to make it. */
async function* asLines(batches: AsyncIterable<AuditEvent[]>): AsyncGenerator<string> {
  for await (const events of batches) {
    yield events.map((event) => `${JSON.stringify(event)}\n`).join('');
  }
}
