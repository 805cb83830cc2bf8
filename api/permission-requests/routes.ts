import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { subjectMatter } from '../../contract/grant.ts';
import { uuid } from '../../contract/names.ts';
import { nextCursor, pageQuery } from '../../contract/page.ts';
import { type PermissionRequest, requestStatus } from '../../contract/permission-request.ts';
import { insertDecision } from '../../store/decisions/decisions.ts';
import { listPermissionRequests } from '../../store/permission-requests/requests.ts';
import { listTree } from '../../store/sessions/tree.ts';
import { notFound, requireAllowed } from '../errors.ts';
import { anyMember } from '../policies/access.ts';
import { grantMaker } from '../policies/grant-maker.ts';
import { whyNotDeny } from '../policies/permission-requests.ts';
import { readableBy, whyNotChangeSession } from '../policies/sessions.ts';
import { type AnyRoute, defineRoute, type InWorkspace } from '../route.ts';
import type { SessionRouteDependencies } from '../session-dependencies.ts';
import { callRoute } from './call-route.ts';
import { decideRequest, requireOpen } from './decide-request.ts';
import { earlierRoute } from './earlier-route.ts';
import { listDecidable, presentRequests, type ShownRequest, shownRequest } from './present.ts';
import { params, requireQuestion, requireRequest } from './visited-request.ts';

type Dependencies = Pick<SessionRouteDependencies, 'db' | 'workflows' | 'config'>;

const collection = '/workspaces/{slug}/permission-requests';
const oneRequest = z.strictObject({ permission_request: shownRequest });
/** Beyond this many the count stops. */
export const mostCounted = 1000;

export function permissionRequestRoutes(dependencies: Dependencies): AnyRoute[] {
  const { db } = dependencies;
  return [
    defineRoute({
      method: 'get',
      path: collection,
      summary: 'What agents asked for, newest first: all for admins, of own sessions and agents for members',
      scope: 'workspace',
      access: anyMember,
      isCompressed: true,
      query: pageQuery.extend({
        status: requestStatus.optional(),
        session_id: uuid.optional(),
        /** Id of a session: of that one and of all below it. */
        tree: uuid.optional(),
        /** Asked not before this time. */
        from: z.iso.datetime({ offset: true }).optional(),
      }),
      response: z.strictObject({ permission_requests: z.array(shownRequest), next_cursor: nextCursor }),
      async handler({ query: { status, session_id: sessionId, tree, from, ...page }, ...visit }) {
        const ofTree = tree === undefined ? {} : { sessionIds: await readableTree(db, visit, tree) };
        const filter = { status, sessionId, from, ...ofTree, readableBy: readableBy(visit) };
        const { items, nextCursor } = await listPermissionRequests(db, visit.workspace.id, filter, page);
        return { permission_requests: await presentRequests(db, visit, items), next_cursor: nextCursor };
      },
    }),
    countRoute(dependencies),
    defineRoute({
      method: 'get',
      path: `${collection}/{request_id}`,
      summary: 'One permission request',
      scope: 'workspace',
      access: anyMember,
      params,
      response: oneRequest,
      async handler({ params, ...visit }) {
        return { permission_request: await shown(db, visit, params.request_id) };
      },
    }),
    callRoute(dependencies),
    earlierRoute(dependencies),
    denyRoute(dependencies),
  ];
}

const readableTree = (db: Dependencies['db'], visit: InWorkspace, sessionId: string) =>
  listTree(db, { sessionId, workspaceId: visit.workspace.id, readableBy: readableBy(visit) });

/** For the count shown everywhere in the UI: cheaper than the list, and requested often. */
function countRoute({ db }: Pick<Dependencies, 'db'>): AnyRoute {
  return defineRoute({
    method: 'get',
    path: `${collection}/count`,
    summary: `How many requests are open, and how many of them the caller may decide; counts up to ${mostCounted}`,
    scope: 'workspace',
    access: anyMember,
    response: z.strictObject({ open: z.int(), may_decide: z.int() }),
    async handler(visit) {
      const filter = { status: 'open', readableBy: readableBy(visit) } as const;
      const counts = { open: 0, may_decide: 0 };
      let cursor: string | null | undefined;
      while (cursor !== null && counts.open < mostCounted) {
        const page = { limit: mostCounted - counts.open, cursor };
        const { items, nextCursor } = await listPermissionRequests(db, visit.workspace.id, filter, page);
        counts.open += items.length;
        counts.may_decide += (await listDecidable(db, visit, items)).length;
        cursor = nextCursor;
      }
      return counts;
    },
  });
}

function denyRoute({ db, workflows }: Pick<Dependencies, 'db' | 'workflows'>): AnyRoute {
  return defineRoute({
    method: 'post',
    path: `${collection}/{request_id}/deny`,
    summary:
      'Deny a permission request; the agent reads the reason; mute refuses its session’s next ones at once',
    scope: 'workspace',
    stops: true,
    access: anyMember,
    params,
    body: z.strictObject({ reason: z.string().max(2000).optional(), mute: z.boolean().default(false) }),
    response: oneRequest,
    async handler({ params, body, ...visit }) {
      const request = await requireRequest(db, visit, params.request_id);
      await requireDenier(db, visit, request, body);
      requireOpen(request);
      const decisionId = randomUUID();
      await insertDecision(db, {
        id: decisionId,
        workspaceId: visit.workspace.id,
        requestId: request.id,
        kind: 'deny',
        userId: visit.user.id,
        reason: body.reason ?? null,
        approval: null,
        mutesSession: body.mute,
      });
      const subject = subjectMatter(request.grant_type, request.details);
      const decided = { requestId: request.id, decision: { id: decisionId, subject } };
      await decideRequest({ db, workflows }, decided, ({ status }) => status === 'denied');
      return { permission_request: await shown(db, visit, request.id) };
    },
  });
}

async function shown(db: Dependencies['db'], visit: InWorkspace, id: string): Promise<ShownRequest> {
  const [request] = await presentRequests(db, visit, [await requireRequest(db, visit, id)]);
  if (request === undefined) {
    throw notFound('The permission request');
  }
  return request;
}

async function requireDenier(
  db: Dependencies['db'],
  visit: InWorkspace,
  request: PermissionRequest,
  { mute }: { mute: boolean },
): Promise<void> {
  const question = await requireQuestion(db, visit, request);
  const visitor = { userId: visit.user.id, role: visit.role };
  requireAllowed(whyNotDeny(grantMaker(visit), question));
  requireAllowed(mute ? whyNotChangeSession(visitor, question.session) : null);
}
