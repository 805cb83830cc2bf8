import * as z from 'zod';
import { revokeGrant } from '../../commands/grants/revoke.ts';
import { grantInput, grantState, grantType, type StoredGrant } from '../../contract/grant.ts';
import { grantWidth } from '../../contract/grant-list.ts';
import { timestamp, toolScope, uuid } from '../../contract/names.ts';
import { nextCursor, pageQuery } from '../../contract/page.ts';
import { passkeyChallenge } from '../../contract/passkey.ts';
import { workspaceRole } from '../../contract/workspace.ts';
import { listGrantUses } from '../../store/grants/context.ts';
import { listGrants, readStoredGrant } from '../../store/grants/read.ts';
import { linkOriginOf } from '../addresses.ts';
import { invalid, notFound, requireAllowed } from '../errors.ts';
import { anyMember } from '../policies/access.ts';
import { readableBy } from '../policies/sessions.ts';
import { type AnyRoute, defineRoute, type InWorkspace } from '../route.ts';
import type { SessionRouteDependencies } from '../session-dependencies.ts';
import { beginGrantChallenge, createGrant } from './create-grant.ts';
import { presentGrants, type ShownGrant, shownGrant, whyNotRevoke } from './present.ts';
import { revocationRoutes } from './revocation-routes.ts';

type Dependencies = Pick<SessionRouteDependencies, 'db' | 'workflows' | 'signApproval' | 'config' | 'log'>;

const collection = '/workspaces/{slug}/grants';
const path = `${collection}/{grant_id}`;
const params = z.object({ grant_id: uuid });
const oneGrant = z.strictObject({ grant: shownGrant });
/** Server and tool are null for a session that began with a secret in its agent's environment. */
const grantUse = z.strictObject({
  call_id: uuid,
  session_id: uuid,
  server: z.string().nullable(),
  tool: z.string().nullable(),
  at: timestamp,
});

/** The only routes to grants, for people only. */
export function grantRoutes(dependencies: Dependencies): AnyRoute[] {
  const { db, config } = dependencies;
  return [
    defineRoute({
      method: 'post',
      path: collection,
      summary:
        'Create a grant; with request_id, or when everything is equal, it answers a permission request',
      scope: 'workspace',
      access: anyMember,
      body: grantInput,
      status: 201,
      response: oneGrant,
      idempotent: true,
      async handler({ body, idempotencyKey, ...visit }) {
        const origin = linkOriginOf(config, visit.ctx);
        const made = await createGrant(dependencies, { ...visit, origin }, body, idempotencyKey);
        return { grant: await presentGrant(db, visit, await requireGrant(db, visit, made)) };
      },
    }),
    defineRoute({
      method: 'post',
      path: '/workspaces/{slug}/grant-challenges',
      summary: 'Begin to approve a grant with a passkey: what it has to sign for exactly this input',
      scope: 'workspace',
      access: anyMember,
      body: grantInput.omit({ passkey: true }),
      status: 201,
      response: passkeyChallenge,
      async handler({ body, ...visit }) {
        const origin = linkOriginOf(config, visit.ctx);
        return beginGrantChallenge(dependencies, { ...visit, origin }, body);
      },
    }),
    listRoute(dependencies),
    readRoute(dependencies),
    usesRoute(dependencies),
    revokeRoute(dependencies),
    ...revocationRoutes(dependencies),
  ];
}

function listRoute({ db }: Pick<Dependencies, 'db'>): AnyRoute {
  return defineRoute({
    method: 'get',
    path: collection,
    summary: 'Grants, newest first; revoked ones only with include_revoked',
    scope: 'workspace',
    access: anyMember,
    isCompressed: true,
    query: pageQuery.extend({
      user_subject_id: uuid.optional(),
      agent_subject_id: uuid.optional(),
      grant_type: grantType.optional(),
      /** Of grants with scope `session`. */
      session_id: uuid.optional(),
      granted_by_role: workspaceRole.optional(),
      /** One or more, comma-separated. */
      tool_scope: z.string().max(8000).optional(),
      state: grantState.optional(),
      width: grantWidth.optional(),
      granted_by: uuid.optional(),
      /** Only those that were made and last used at least so many days ago; with state `active`. */
      unused_days: z.coerce.number().int().min(1).max(3650).optional(),
      /** Only those that end by themselves in so many days; with state `active`. */
      ends_within_days: z.coerce.number().int().min(1).max(3650).optional(),
      include_revoked: z.enum(['true', 'false']).default('false'),
    }),
    response: z.strictObject({ grants: z.array(shownGrant), next_cursor: nextCursor }),
    async handler({ query, ...visit }) {
      const includeRevoked = query.include_revoked === 'true';
      if (query.state === 'revoked' && !includeRevoked) {
        const message = 'must be true to list revoked grants';
        throw invalid([{ path: 'include_revoked', code: 'required', message }]);
      }
      // Nothing leads to what was used up: these two would walk through all of it.
      const ofActive = (['unused_days', 'ends_within_days'] as const).find(
        (name) => query[name] !== undefined,
      );
      if (ofActive !== undefined && query.state !== 'active') {
        throw invalid([{ path: 'state', code: 'required', message: `must be active with ${ofActive}` }]);
      }
      const filter = {
        userSubjectId: query.user_subject_id,
        agentSubjectId: query.agent_subject_id,
        grantType: query.grant_type,
        sessionId: query.session_id,
        grantedByRole: query.granted_by_role,
        toolScopes: scopesIn(query.tool_scope),
        state: query.state,
        width: query.width,
        grantedBy: query.granted_by,
        unusedDays: query.unused_days,
        endsWithinDays: query.ends_within_days,
        includeRevoked,
      };
      const { items, nextCursor } = await listGrants(db, visit.workspace.id, filter, query);
      return { grants: await presentGrants(db, visit, items), next_cursor: nextCursor };
    },
  });
}

function readRoute({ db }: Pick<Dependencies, 'db'>): AnyRoute {
  return defineRoute({
    method: 'get',
    path,
    summary: 'One grant: who made it, its state, and who revoked it',
    scope: 'workspace',
    access: anyMember,
    params,
    response: oneGrant,
    async handler({ params, ...visit }) {
      return { grant: await presentGrant(db, visit, await requireGrant(db, visit, params.grant_id)) };
    },
  });
}

function usesRoute({ db }: Pick<Dependencies, 'db'>): AnyRoute {
  return defineRoute({
    method: 'get',
    path: `${path}/uses`,
    summary:
      'The calls that passed on a grant, newest first: all for admins, in sessions they may read for members',
    scope: 'workspace',
    access: anyMember,
    params,
    query: pageQuery,
    response: z.strictObject({ uses: z.array(grantUse), next_cursor: nextCursor }),
    async handler({ params, query, ...visit }) {
      const { id } = await requireGrant(db, visit, params.grant_id);
      const page = await listGrantUses(db, id, { readableBy: readableBy(visit) }, query);
      const uses = page.items.map(({ id: call_id, server, tool, ...use }) => ({
        ...use,
        call_id,
        server: server || null,
        tool: tool || null,
      }));
      return { uses, next_cursor: page.nextCursor };
    },
  });
}

function revokeRoute({ db }: Pick<Dependencies, 'db'>): AnyRoute {
  return defineRoute({
    method: 'delete',
    path,
    summary: 'Revoke a grant; one that is consumed, expired or revoked stays as it is',
    scope: 'workspace',
    stops: true,
    access: anyMember,
    params,
    response: z.strictObject({ ok: z.literal(true) }),
    async handler({ params, ...visit }) {
      const found = await requireGrant(db, visit, params.grant_id);
      requireAllowed(await whyNotRevoke(db, visit, found));
      await revokeGrant(db, found.id, { type: 'user', id: visit.user.id });
      return { ok: true } as const;
    },
  });
}

/** Throws 422 `validation_failed` for a list with something else in it. */
function scopesIn(list: string | undefined): string[] | undefined {
  if (list === undefined) {
    return undefined;
  }
  const parsed = z.array(toolScope).safeParse(list.split(','));
  if (!parsed.success) {
    const message = 'must be scopes such as files.write with commas between them';
    throw invalid([{ path: 'tool_scope', code: 'invalid_format', message }]);
  }
  return parsed.data;
}

async function requireGrant(
  db: Dependencies['db'],
  { workspace }: InWorkspace,
  id: string,
): Promise<StoredGrant> {
  const found = await readStoredGrant(db, workspace.id, id);
  if (found === null) {
    throw notFound('The grant');
  }
  return found;
}

async function presentGrant(
  db: Dependencies['db'],
  visit: InWorkspace,
  grant: StoredGrant,
): Promise<ShownGrant> {
  const [shown] = await presentGrants(db, visit, [grant]);
  if (shown === undefined) {
    throw notFound('The grant');
  }
  return shown;
}
