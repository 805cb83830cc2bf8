import { z } from 'zod';
import { type Grant, grant, grantInput, grantType } from '../../../contract/grant.ts';
import { uuid } from '../../../contract/names.ts';
import { nextCursor, pageQuery } from '../../../contract/page.ts';
import { readAgent } from '../../../store/agents/read.ts';
import { listGrants, readGrant } from '../../../store/grants/read.ts';
import { revokeGrant } from '../../../store/grants/revoke.ts';
import { needsAdmin } from '../../../store/grants/scope-approvers.ts';
import { readPermissionRequest } from '../../../store/permission-requests/read.ts';
import { readSession } from '../../../store/sessions/read-session.ts';
import { forbidden, notFound } from '../../errors.ts';
import { grantMaker } from '../../policies/grant-maker.ts';
import { type GrantInQuestion, whyNotGrant } from '../../policies/grants.ts';
import { type AnyRoute, defineRoute } from '../../route.ts';
import type { SessionRouteDependencies } from '../session-dependencies.ts';
import { createGrant } from './create-grant.ts';

type Dependencies = Pick<SessionRouteDependencies, 'db' | 'workflows' | 'signApproval'>;

const collection = '/workspaces/{slug}/grants';

/** The only routes to grants, for people only (spec, Permission grants; Authentication 1). */
export function grantRoutes(dependencies: Dependencies): AnyRoute[] {
  return [
    defineRoute({
      method: 'post',
      path: collection,
      summary:
        'Create a grant; with request_id, or when everything is equal, it answers a permission request',
      scope: 'workspace',
      body: grantInput,
      status: 201,
      response: z.strictObject({ grant }),
      handler: async ({ body, ...visit }) => ({ grant: await createGrant(dependencies, visit, body) }),
    }),
    listRoute(dependencies),
    revokeRoute(dependencies),
  ];
}

function listRoute({ db }: Pick<Dependencies, 'db'>): AnyRoute {
  return defineRoute({
    method: 'get',
    path: collection,
    summary: 'Grants, newest first; revoked ones only when asked for',
    scope: 'workspace',
    query: pageQuery.extend({
      user_subject_id: uuid.optional(),
      agent_subject_id: uuid.optional(),
      grant_type: grantType.optional(),
      include_revoked: z.enum(['true', 'false']).default('false'),
    }),
    response: z.strictObject({ grants: z.array(grant), next_cursor: nextCursor }),
    async handler({ workspace, query }) {
      const filter = {
        userSubjectId: query.user_subject_id,
        agentSubjectId: query.agent_subject_id,
        grantType: query.grant_type,
        includeRevoked: query.include_revoked === 'true',
      };
      const { items, nextCursor } = await listGrants(db, workspace.id, filter, query);
      return { grants: items, next_cursor: nextCursor };
    },
  });
}

function revokeRoute({ db }: Pick<Dependencies, 'db'>): AnyRoute {
  return defineRoute({
    method: 'delete',
    path: `${collection}/{grant_id}`,
    summary: 'Revoke a grant; one that is consumed or revoked stays as it is',
    scope: 'workspace',
    params: z.object({ grant_id: uuid }),
    response: z.strictObject({ ok: z.literal(true) }),
    async handler({ params, ...visit }) {
      const found = await readGrant(db, params.grant_id, { workspaceId: visit.workspace.id });
      if (found === null) {
        throw notFound('The grant');
      }
      const rule = whyNotGrant(grantMaker(visit), await questionOf(db, found));
      if (rule !== null) {
        throw forbidden(rule);
      }
      await revokeGrant(db, found.id, { type: 'user', id: visit.user.id });
      return { ok: true } as const;
    },
  });
}

/** An existing grant as the policy asks about it: whoever may create it may revoke it. */
async function questionOf(db: Dependencies['db'], found: Grant): Promise<GrantInQuestion> {
  const agent = found.agent_subject_id === null ? null : await readAgent(db, found.agent_subject_id);
  const request = found.request_id === null ? null : await readPermissionRequest(db, found.request_id);
  const sessionId = found.session_id ?? request?.session_id;
  return {
    grantType: found.grant_type,
    scope: found.scope,
    userSubjectId: found.user_subject_id,
    agentOwnerId: agent?.owner_id ?? null,
    session: sessionId === undefined ? null : await readSession(db, sessionId),
    adminScope: await needsAdmin(db, found.workspace_id, found.details),
  };
}
