import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Context } from 'koa';
import * as z from 'zod';
import { type AuditEvent, auditEvent, auditEventName } from '../../../contract/audit-event.ts';
import { uuid } from '../../../contract/names.ts';
import { nextCursor, pageQuery } from '../../../contract/page.ts';
import { eachAuditEvent, listAuditEvents, type ReadBatch } from '../../../store/audit-events/list.ts';
import type { Db } from '../../../store/database.ts';
import { listTree } from '../../../store/sessions/tree.ts';
import { recordExport } from '../../../store/workspaces/change.ts';
import type { ApiDependencies } from '../../dependencies.ts';
import { createUserTurns } from '../../middleware/user-turns.ts';
import { admins } from '../../policies/access.ts';
import { type AnyRoute, defineRoute, written } from '../../route.ts';

const ndjson = 'application/x-ndjson';
const pointInTime = z.iso.datetime({ offset: true });

/** Batches of exports that are read at a time, in each process: fewer than its connections to the database, and one for a workspace. */
const batchesAtATime = 3;
/** More than there are downloads. */
const waitingBatches = 100;

export function auditEventRoutes({ db }: Pick<ApiDependencies, 'db'>): AnyRoute[] {
  const inTurn = createExportTurns();
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
      async handler({ workspace, query, ctx }) {
        const { cursor, limit, tree, ...rest } = query;
        const ofTree =
          tree === undefined
            ? {}
            : { sessionIds: await listTree(db, { sessionId: tree, workspaceId: workspace.id }) };
        const filter = { ...rest, ...ofTree };
        const isWhole = Object.values(filter).every((each) => each === undefined);
        if (ctx.accepts(['application/json', ndjson]) === ndjson) {
          ctx.type = ndjson;
          const readBatch = inTurn({ workspaceId: workspace.id, response: ctx.res });
          const lines = asLines(eachAuditEvent(db, workspace.id, filter, readBatch));
          ctx.body = Readable.from(isWhole ? withRecord(db, workspace.id, lines) : lines);
          return written;
        }
        const page = await listAuditEvents(db, workspace.id, filter, { cursor, limit });
        return { audit_events: page.items, next_cursor: page.nextCursor };
      },
    }),
  ];
}

interface Exporting {
  workspaceId: string;
  response: Context['res'];
}

/** An export holds no turn while its client reads, however slowly it does. */
function createExportTurns(): (exporting: Exporting) => ReadBatch {
  const turnsOf = (name: string, atATime: number) =>
    createUserTurns({ name, atATime, waiting: waitingBatches });
  const ofWorkspace = turnsOf('batches of exports at a time per workspace', 1);
  const ofAll = turnsOf('batches of exports at a time', batchesAtATime);
  return ({ workspaceId, response }) =>
    async (read) => {
      const turn = await ofWorkspace.enter(workspaceId, response);
      try {
        const { leave } = await ofAll.enter('all', response);
        return await read().finally(leave);
      } finally {
        turn.leave();
      }
    };
}

/** The record of a removed workspace names its last whole export: whoever has the file can show that it is that one. */
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

async function* asLines(events: AsyncIterable<AuditEvent>): AsyncGenerator<string> {
  for await (const event of events) {
    yield `${JSON.stringify(event)}\n`;
  }
}
