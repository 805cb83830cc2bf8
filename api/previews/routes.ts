import * as z from 'zod';
import { endPreview } from '../../commands/previews/end.ts';
import { uuid } from '../../contract/names.ts';
import { nextCursor, pageQuery } from '../../contract/page.ts';
import { type Preview, shownPreview } from '../../contract/preview.ts';
import type { Session } from '../../contract/session.ts';
import type { Db } from '../../store/database.ts';
import { listLivePreviews, readPreview } from '../../store/previews/previews.ts';
import { isSharedWithWorkspace, readSession } from '../../store/sessions/sessions.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { notFound, requireAllowed } from '../errors.ts';
import { anyMember } from '../policies/access.ts';
import { whyNotEndPreview, whyNotOpenPreview } from '../policies/previews.ts';
import { readableBy } from '../policies/sessions.ts';
import { type AnyRoute, defineRoute, type InWorkspace } from '../route.ts';
import type { WorkflowClient } from '../workflow-client.ts';
import { isLive, openPreview } from './open.ts';
import { presentPreviews } from './present.ts';
import { tellService } from './tell-service.ts';

const collection = '/workspaces/{slug}/previews';
const path = `${collection}/{preview_id}`;
const params = z.object({ preview_id: uuid });

export interface PreviewDependencies extends Pick<ApiDependencies, 'db' | 'config' | 'log'> {
  workflows: Pick<WorkflowClient, 'signalServicePreview'>;
}

export function previewRoutes(dependencies: PreviewDependencies): AnyRoute[] {
  return [listRoute(dependencies), readRoute(dependencies), openRoute(dependencies), endRoute(dependencies)];
}

function listRoute({ db }: Pick<ApiDependencies, 'db'>): AnyRoute {
  return defineRoute({
    method: 'get',
    path: collection,
    summary: 'Live previews, newest first: all for admins, those that they may open for members',
    scope: 'workspace',
    access: anyMember,
    query: pageQuery.extend({ session_id: uuid.optional() }),
    response: z.strictObject({ previews: z.array(shownPreview), next_cursor: nextCursor }),
    async handler({ query: { session_id: sessionId, ...page }, ...visit }) {
      const openableBy = readableBy(visit);
      const filter = { sessionId, openableBy };
      const { items, nextCursor } = await listLivePreviews(db, visit.workspace.id, filter, page);
      return { previews: await presentPreviews(db, visit, items), next_cursor: nextCursor };
    },
  });
}

function readRoute({ db }: Pick<ApiDependencies, 'db'>): AnyRoute {
  return defineRoute({
    method: 'get',
    path,
    summary: 'One preview, also after its end',
    scope: 'workspace',
    access: anyMember,
    params,
    response: z.strictObject({ preview: shownPreview }),
    async handler({ params, ...visit }) {
      const { preview } = await readable(db, visit, params.preview_id);
      return { preview: await presentOne(db, visit, preview) };
    },
  });
}

function openRoute(dependencies: Pick<ApiDependencies, 'db' | 'config'>): AnyRoute {
  return defineRoute({
    method: 'get',
    path: `${path}/open`,
    summary:
      'Open a preview: leads to an address of its own, which works for half an hour, or to its page when it is over',
    scope: 'workspace',
    access: anyMember,
    params,
    status: 302,
    async handler({ params, ctx, ...visit }) {
      const { preview } = await readable(dependencies.db, visit, params.preview_id);
      const page = `/app/${encodeURIComponent(visit.workspace.slug)}/previews/${preview.id}`;
      // Its page says since when it is over.
      const location = isLive(preview)
        ? await openPreview(dependencies, ctx, { preview, signInId: visit.signInId })
        : page;
      ctx.set('Location', location);
      ctx.status = 302;
      // In place of Koa's text, so that the address is in the header alone.
      ctx.body = '';
    },
  });
}

function endRoute(dependencies: PreviewDependencies): AnyRoute {
  const { db } = dependencies;
  return defineRoute({
    method: 'delete',
    path,
    summary:
      'End a preview: its files are erased or its service is stopped, and it is closed wherever it is open',
    scope: 'workspace',
    access: anyMember,
    params,
    stops: true,
    response: z.strictObject({ preview: shownPreview }),
    async handler({ params, ...visit }) {
      const { preview, session } = await readable(db, visit, params.preview_id);
      requireAllowed(whyNotEndPreview({ userId: visit.user.id, role: visit.role }, session));
      const ended = await endPreview(db, preview.id, { type: 'user', id: visit.user.id });
      if (preview.service !== null) {
        await tellService(dependencies, preview.id);
      }
      return { preview: await presentOne(db, visit, ended ?? preview) };
    },
  });
}

/** Throws 404 for a preview of another workspace, and 403 for one that the visitor may not open. */
async function readable(
  db: Db,
  { workspace, user, role }: InWorkspace,
  id: string,
): Promise<{ preview: Preview; session: Session }> {
  const preview = await readPreview(db, { workspaceId: workspace.id, id });
  const session = preview === null ? null : await readSession(db, preview.session_id);
  if (preview === null || session === null) {
    throw notFound('The preview');
  }
  const isShared = await isSharedWithWorkspace(db, session.id);
  requireAllowed(whyNotOpenPreview(preview, { userId: user.id, role }, session, isShared));
  return { preview, session };
}

async function presentOne(db: Db, visit: InWorkspace, preview: Preview) {
  const [shown] = await presentPreviews(db, visit, [preview]);
  if (shown === undefined) {
    throw notFound('The preview');
  }
  return shown;
}
