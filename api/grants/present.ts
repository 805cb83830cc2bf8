/** Grants as people read them: with names, state, uses, and whether the caller may revoke them. */
import * as z from 'zod';
import { fieldProblem } from '../../contract/errors.ts';
import { grantState, revocationCause, type StoredGrant, storedGrant } from '../../contract/grant.ts';
import { named, timestamp, uuid } from '../../contract/names.ts';
import type { Db } from '../../store/database.ts';
import { type GrantContext, mostUsesCounted, readGrantContexts } from '../../store/grants/context.ts';
import { grantMaker } from '../policies/grant-maker.ts';
import { type GrantInQuestion, storedGrantInQuestion, whyNotGrant } from '../policies/grants.ts';
import { mayReadSession } from '../policies/sessions.ts';
import type { InWorkspace } from '../route.ts';
import { grantWarnings, readScopeFacts, type ScopeFacts, scopeOf } from './warnings.ts';

export const shownGrant = storedGrant.omit({ readable: true }).extend({
  state: grantState,
  /** It permits one call alone; `bound_to.call_digest` names it to those who may read its session. */
  exact_call: z.boolean(),
  subject: z.strictObject({ type: z.enum(['user', 'agent']), id: uuid, name: z.string() }),
  granted_by: named,
  /** Who revoked it, directly or through a change that ended it. */
  revoked_by: named.nullable(),
  revocation_cause: revocationCause.nullable(),
  use_count: z.int().max(mostUsesCounted).describe(`counted up to ${mostUsesCounted}`),
  last_used_at: timestamp.nullable(),
  /** False once it is consumed, expired or revoked. */
  may_revoke: z.boolean(),
  /** Why the grant may have no effect, for people. */
  warnings: z.array(fieldProblem),
});
export type ShownGrant = z.infer<typeof shownGrant>;

type Visit = Pick<InWorkspace, 'user' | 'role' | 'workspace'>;

/** Keeps the order given; omits grants that were removed meanwhile. */
export async function presentGrants(
  db: Db,
  visit: Visit,
  grants: readonly StoredGrant[],
): Promise<ShownGrant[]> {
  const contexts = await readGrantContexts(
    db,
    grants.map(({ id }) => id),
  );
  const facts = await readScopeFacts(db, visit.workspace.id, grants);
  return grants.flatMap((grant) => {
    const found = contexts.get(grant.id);
    return found === undefined ? [] : [present(visit, grant, found, facts)];
  });
}

function present(visit: Visit, grant: StoredGrant, found: GrantContext, facts: ScopeFacts): ShownGrant {
  const { readable: _, ...content } = grant;
  const { state } = found;
  return {
    ...content,
    bound_to:
      found.session === null || mayReadSession(visit, found.session)
        ? content.bound_to
        : withoutDigest(content.bound_to),
    exact_call: (content.bound_to?.call_digest ?? null) !== null,
    state,
    subject: subjectOf(grant, found.subjectName),
    granted_by: found.grantedBy,
    revoked_by: found.revokedBy,
    revocation_cause: found.revocationCause,
    use_count: found.useCount,
    last_used_at: found.lastUsedAt,
    may_revoke:
      state === 'active' && whyNotGrant(grantMaker(visit), inQuestion(grant, found, facts)) === null,
    warnings: grantWarnings(grant, state, facts),
  };
}

const withoutDigest = (bound: StoredGrant['bound_to']) => bound && { ...bound, call_digest: null };

/**
 * The rule that keeps the visitor from revoking it: who may create a grant may revoke it. Null when
 * they may, or it was removed.
 */
export async function whyNotRevoke(db: Db, visit: Visit, grant: StoredGrant): Promise<string | null> {
  const found = (await readGrantContexts(db, [grant.id])).get(grant.id);
  const facts = await readScopeFacts(db, visit.workspace.id, [grant]);
  return found === undefined ? null : whyNotGrant(grantMaker(visit), inQuestion(grant, found, facts));
}

const inQuestion = (
  grant: StoredGrant,
  { agentOwnerId, session }: GrantContext,
  { adminOnlyScopes }: ScopeFacts,
): GrantInQuestion =>
  storedGrantInQuestion(grant, {
    agentOwnerId,
    session,
    adminScope: adminOnlyScopes.has(scopeOf(grant) ?? ''),
  });

function subjectOf(grant: StoredGrant, name: string): ShownGrant['subject'] {
  return grant.user_subject_id === null
    ? { type: 'agent', id: grant.agent_subject_id ?? '', name }
    : { type: 'user', id: grant.user_subject_id, name };
}
