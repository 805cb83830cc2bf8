/** Reading the audit trail, newest first. */
import * as z from 'zod';
import { type AuditEvent, auditEvent } from '../../contract/audit-event.ts';
import { uuid } from '../../contract/names.ts';
import type { Page, PageQuery } from '../../contract/page.ts';
import type { Db } from '../database.ts';
import { decodeCursor, encodeCursor, readPage } from '../page.ts';

export interface AuditEventFilter {
  event?: string | undefined;
  /** The actor's id. */
  actor?: string | undefined;
  /** The resource's id or name. */
  resource?: string | undefined;
  /** What happened in any of these sessions. */
  sessionIds?: readonly string[];
  /** Not before this time. */
  from?: string | undefined;
  /** Before this time. */
  to?: string | undefined;
}

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

/** One page of events that pass the filter. Throws InvalidCursorError. */
export async function listAuditEvents(
  db: Db,
  workspaceId: string,
  filter: AuditEventFilter,
  page: PageQuery,
): Promise<Page<AuditEvent>> {
  const before = decodeCursor(page.cursor, z.int());
  const query = db('audit_events').where({ workspace_id: workspaceId }).orderBy('position', 'desc');
  if (filter.event !== undefined) {
    query.where('event', filter.event);
  }
  if (filter.actor !== undefined) {
    query.where('actor_id', filter.actor);
  }
  const { resource } = filter;
  if (resource !== undefined) {
    query.where((either) =>
      either
        .where('resource_id', uuid.safeParse(resource).data ?? resource)
        .orWhere('resource_name', resource),
    );
  }
  if (filter.sessionIds !== undefined) {
    query.whereIn('session_id', filter.sessionIds);
  }
  if (filter.from !== undefined) {
    query.where('at', '>=', filter.from);
  }
  if (filter.to !== undefined) {
    query.where('at', '<', filter.to);
  }
  if (before !== null) {
    query.where('position', '<', before);
  }
  const { rows, nextCursor } = await readPage(
    db,
    query,
    auditEventRow,
    page.limit,
    ({ position }) => position,
  );
  return { items: rows.map(present), nextCursor };
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
  while (cursor !== null) {
    const page: PageQuery = { cursor, limit: exportBatch };
    const { items, nextCursor } = await readBatch(() => listAuditEvents(db, workspaceId, filter, page));
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
