/** Grants as people read them: with names, how they stand, how they were used, and whether the caller may revoke them. */
import { z } from 'zod';
import { type Grant, type GrantState, grant, grantState, revocationCause } from '../../../contract/grant.ts';
import { named, timestamp, uuid } from '../../../contract/names.ts';
import type { Db } from '../../../store/database.ts';
import {
  type GrantCircumstances,
  mostUsesCounted,
  readGrantCircumstances,
} from '../../../store/grants/circumstances.ts';
import { scopesThatNeedAdmin } from '../../../store/grants/scope-approvers.ts';
import { grantMaker } from '../../policies/grant-maker.ts';
import { type GrantInQuestion, whyNotGrant } from '../../policies/grants.ts';
import type { InWorkspace } from '../../route.ts';

export const shownGrant = grant.extend({
  state: grantState,
  subject: z.strictObject({ type: z.enum(['user', 'agent']), id: uuid, name: z.string() }),
  granted_by: named,
  /** Who revoked it: directly, or by a change of theirs that ended it. */
  revoked_by: named.nullable(),
  revocation_cause: revocationCause.nullable(),
  use_count: z.int().max(mostUsesCounted).describe(`counted up to ${mostUsesCounted}`),
  last_used_at: timestamp.nullable(),
  may_revoke: z.boolean(),
});
export type ShownGrant = z.infer<typeof shownGrant>;

type Visit = Pick<InWorkspace, 'user' | 'role' | 'workspace'>;

/** In the order given; a grant that was removed meanwhile is left out. */
export async function presentGrants(db: Db, visit: Visit, grants: readonly Grant[]): Promise<ShownGrant[]> {
  const circumstances = await readGrantCircumstances(
    db,
    grants.map(({ id }) => id),
  );
  const adminScopes = await scopesThatNeedAdmin(db, visit.workspace.id, grants.flatMap(scopeOf));
  return grants.flatMap((grant) => {
    const found = circumstances.get(grant.id);
    if (found === undefined) {
      return [];
    }
    const adminScope = scopeOf(grant).some((scope) => adminScopes.has(scope));
    const state = stateOf(grant, found);
    return [
      {
        ...grant,
        state,
        subject: subjectOf(grant, found.subjectName),
        granted_by: found.grantedBy,
        revoked_by: found.revokedBy,
        revocation_cause: found.revocationCause,
        use_count: found.useCount,
        last_used_at: found.lastUsedAt,
        may_revoke:
          state !== 'revoked' &&
          state !== 'consumed' &&
          whyNotGrant(grantMaker(visit), inQuestion(grant, found, adminScope)) === null,
      },
    ];
  });
}

/** The rule that keeps the visitor from revoking it: whoever may create a grant may revoke it (design 4). Null when they may, or it is gone. */
export async function whyNotRevoke(db: Db, visit: Visit, grant: Grant): Promise<string | null> {
  const found = (await readGrantCircumstances(db, [grant.id])).get(grant.id);
  const adminScopes = await scopesThatNeedAdmin(db, visit.workspace.id, scopeOf(grant));
  return found === undefined
    ? null
    : whyNotGrant(grantMaker(visit), inQuestion(grant, found, adminScopes.size > 0));
}

function inQuestion(grant: Grant, found: GrantCircumstances, adminScope: boolean): GrantInQuestion {
  return {
    grantType: grant.grant_type,
    scope: grant.scope,
    userSubjectId: grant.user_subject_id,
    agentOwnerId: found.agentOwnerId,
    session: found.session,
    adminScope,
  };
}

function stateOf(grant: Grant, { sessionEnded }: GrantCircumstances): GrantState {
  if (grant.revoked_at !== null) {
    return 'revoked';
  }
  if (grant.consumed_at !== null) {
    return 'consumed';
  }
  return grant.scope === 'session' && sessionEnded ? 'expired' : 'active';
}

function subjectOf(grant: Grant, name: string): ShownGrant['subject'] {
  return grant.user_subject_id === null
    ? { type: 'agent', id: grant.agent_subject_id ?? '', name }
    : { type: 'user', id: grant.user_subject_id, name };
}

const scopeOf = ({ details: { scope } }: Grant) => (typeof scope === 'string' ? [scope] : []);
