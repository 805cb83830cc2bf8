/** Several grants at once: what runs under them, and the end of each. */
import * as z from 'zod';
import { revokeGrant } from '../../commands/grants/revoke.ts';
import {
  mostRevokedTogether,
  type RevocationResult,
  revocationResult,
  sessionsUnder,
} from '../../contract/grant-list.ts';
import { uuid } from '../../contract/names.ts';
import { readGrantContexts } from '../../store/grants/context.ts';
import { readStoredGrant, readStoredGrants } from '../../store/grants/read.ts';
import { readSessionsUnder } from '../../store/grants/sessions-under.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { invalid } from '../errors.ts';
import { anyMember } from '../policies/access.ts';
import { readableBy } from '../policies/sessions.ts';
import { type AnyRoute, defineRoute, type InWorkspace } from '../route.ts';
import { presentGrants, shownGrant, whyNotRevoke } from './present.ts';

type Dependencies = Pick<ApiDependencies, 'db' | 'log'>;

const path = '/workspaces/{slug}/grant-revocations';
const grantIds = z.array(uuid).min(1).max(mostRevokedTogether);

/** A grant with what runs under it. */
export const grantPreview = z.strictObject({ grant: shownGrant, ...sessionsUnder.shape });

export function revocationRoutes(dependencies: Dependencies): AnyRoute[] {
  const { db } = dependencies;
  return [
    defineRoute({
      method: 'get',
      path,
      summary: 'What revoking these grants would end: each grant, and the sessions that run under it',
      scope: 'workspace',
      access: anyMember,
      query: z.object({
        /** One or more, comma-separated. */
        grant_ids: z.string().max(mostRevokedTogether * 37),
      }),
      response: z.strictObject({
        grants: z.array(grantPreview),
      }),
      async handler({ query, ...visit }) {
        const workspaceId = visit.workspace.id;
        const ids = idsIn(query.grant_ids);
        const grants = await presentGrants(db, visit, await readStoredGrants(db, workspaceId, ids));
        const under = await readSessionsUnder(db, {
          workspaceId,
          grantIds: grants.map(({ id }) => id),
          readableBy: readableBy(visit),
        });
        const none = { running_count: 0, running_sessions: [] };
        return { grants: grants.map((grant) => ({ grant, ...(under.get(grant.id) ?? none) })) };
      },
    }),
    defineRoute({
      method: 'post',
      path,
      summary: 'Revoke several grants, each on its own: one that cannot be revoked leaves the others revoked',
      scope: 'workspace',
      stops: true,
      access: anyMember,
      body: z.strictObject({ grant_ids: grantIds }),
      response: z.strictObject({ revocations: z.array(revocationResult) }),
      async handler({ body, ...visit }) {
        const revocations: RevocationResult[] = [];
        for (const id of new Set(body.grant_ids)) {
          revocations.push(await revokeOne(dependencies, visit, id));
        }
        return { revocations };
      },
    }),
  ];
}

/** Throws 422 `validation_failed` for a list with something else in it. */
function idsIn(list: string): string[] {
  const parsed = grantIds.safeParse(list.split(','));
  if (!parsed.success) {
    const message = `must be 1 to ${mostRevokedTogether} ids of grants with commas between them`;
    throw invalid([{ path: 'grant_ids', code: 'invalid_format', message }]);
  }
  return [...new Set(parsed.data)];
}

/** As the revocation of one: its own look at who may, its own locks, its own transaction with its record. */
async function revokeOne(
  { db, log }: Dependencies,
  visit: InWorkspace,
  id: string,
): Promise<RevocationResult> {
  const result = (outcome: RevocationResult['outcome'], reason: string | null = null) => ({
    grant_id: id,
    outcome,
    reason,
  });
  try {
    const found = await readStoredGrant(db, visit.workspace.id, id);
    const context = (await readGrantContexts(db, [id])).get(id);
    if (found === null || context === undefined) {
      return result('not_found');
    }
    // Who may is asked of what there is to revoke: rights may have ended with it.
    if (context.state !== 'active') {
      return result('already_ended');
    }
    const whyNot = await whyNotRevoke(db, visit, found);
    if (whyNot !== null) {
      return result('refused', whyNot);
    }
    const changed = await revokeGrant(db, id, { type: 'user', id: visit.user.id });
    return result(changed ? 'revoked' : 'already_ended');
  } catch (error) {
    // Those before it are revoked, and those after it may well be: whoever asked is informed of each.
    log.error(
      { grant_id: id, error: error instanceof Error ? error.name : typeof error },
      'revocation failed',
    );
    return result('failed');
  }
}
