import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import * as z from 'zod';
import { type AuditEvent, auditEvent, auditEventName } from '../../contract/audit-event.ts';
import { uuid } from '../../contract/names.ts';
import { nextCursor, pageQuery } from '../../contract/page.ts';
import { auditEventBatches, listAuditEvents } from '../../store/audit-events/list.ts';
import type { Db } from '../../store/database.ts';
import { listTree } from '../../store/sessions/tree.ts';
import { recordExport } from '../../store/workspaces/workspaces.ts';
import type { ApiDependencies } from '../dependencies.ts';
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
      query: pageQuery.extend({
        event: auditEventName.optional(),
        /** Id of the user or agent. */
        actor: uuid.optional(),
        /** Id or name of the resource. */
        resource: z.string().max(200).optional(),
        /** Id of a session: what happened in that one and in all below it. */
        tree: uuid.optional(),
        from: pointInTime.optional(),
        to: pointInTime.optional(),
      }),
      response: z.strictObject({ audit_events: z.array(auditEvent), next_cursor: nextCursor }),
      async handler({ workspace, user, query, ctx }) {
        const { cursor, limit, tree, ...rest } = query;
        const ofTree =
          tree === undefined
            ? {}
            : { sessionIds: await listTree(db, { sessionId: tree, workspaceId: workspace.id }) };
        const filter = { ...rest, ...ofTree };
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
        return { audit_events: page.items, next_cursor: page.nextCursor };
      },
    }),
  ];
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
