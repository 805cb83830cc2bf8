/** Who may make, and so also revoke, which grant (docs/grants.md#who-may-make-one). */
import {
  type GrantInput,
  type GrantScope,
  type GrantType,
  knownGrantType,
  type StoredGrant,
} from '../../contract/grant.ts';
import type { WorkspaceRole } from '../../contract/workspace.ts';
import type { Refusal } from './refusal.ts';
import { isOwnSession, type SessionKeepers, whyNotDecideIn } from './sessions.ts';

export interface GrantMaker {
  userId: string;
  role: WorkspaceRole;
  /** The workspace's setting `members_grant_persistent`. */
  membersGrantPersistent: boolean;
}

/** What is around a grant and not in it. */
export interface GrantFacts {
  /** Owner of the agent that holds it. */
  agentOwnerId: string | null;
  /** The session that the grant is for or answers a request of: it is made by those who may read that. */
  session: (SessionKeepers & { isShared: boolean }) | null;
  /** A catalog entry restricts the approval of this scope to admins. */
  adminScope: boolean;
}

export interface GrantInQuestion extends GrantFacts {
  /** Null for a row that does not parse as a grant. */
  grantType: GrantType | null;
  scope: GrantScope;
  /** The user who holds it, or null when an agent does. */
  userSubjectId: string | null;
}

/** A grant that is asked for, as the rule judges it. */
export const grantInQuestion = (
  { grant_type, scope, user_subject_id }: Pick<GrantInput, 'grant_type' | 'scope' | 'user_subject_id'>,
  facts: GrantFacts,
): GrantInQuestion => ({
  grantType: grant_type,
  scope,
  userSubjectId: user_subject_id,
  ...facts,
});

/** A grant that exists: who may create it may revoke it. */
export const storedGrantInQuestion = (grant: StoredGrant, facts: GrantFacts): GrantInQuestion => ({
  grantType: knownGrantType(grant),
  scope: grant.scope,
  userSubjectId: grant.user_subject_id,
  ...facts,
});

export function whyNotGrant(maker: GrantMaker, grant: GrantInQuestion): Refusal {
  if (maker.role === 'admin') {
    return null;
  }
  if (grant.grantType === null) {
    return 'Only a workspace admin may revoke a grant that does not fit its type';
  }
  if (grant.grantType === 'model_key') {
    return 'Only a workspace admin may make or revoke a grant that uses a secret as the key of an agent’s model access';
  }
  if (grant.grantType === 'agent_env') {
    return 'Only a workspace admin may make or revoke a grant that puts a secret into an agent’s own environment';
  }
  if (grant.adminScope) {
    return 'Only a workspace admin may make or revoke a grant of this scope: its catalog entry says so';
  }
  const inSession = grant.session === null ? null : whyNotDecideIn(maker, grant.session);
  if (inSession !== null) {
    return inSession;
  }
  if (grant.userSubjectId !== null) {
    return grant.userSubjectId === maker.userId
      ? null
      : 'Only a workspace admin may make or revoke a grant of another user';
  }
  return whyNotForAgent(maker, grant);
}

function whyNotForAgent(maker: GrantMaker, { scope, agentOwnerId, session }: GrantInQuestion): Refusal {
  const ownAgent = agentOwnerId === maker.userId;
  if (scope === 'persistent') {
    return ownAgent && maker.membersGrantPersistent
      ? null
      : 'A persistent grant for an agent needs a workspace admin, or the agent’s owner where the workspace allows it';
  }
  return ownAgent || (session !== null && isOwnSession(maker, session))
    ? null
    : 'A grant for an agent needs a workspace admin, the agent’s owner, or the operator of the session';
}
