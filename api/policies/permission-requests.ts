/** Who may answer a request, and with which grants: the same rules as for creating the requested grant. */
import { agentOnlyGrantTypes, type GrantScope, grantScope, scopeWidth } from '../../contract/grant.ts';
import type { PermissionRequest } from '../../contract/permission-request.ts';
import { type GrantFacts, type GrantMaker, grantInQuestion, whyNotGrant } from './grants.ts';
import type { Refusal } from './refusal.ts';

export interface RequestInQuestion extends GrantFacts {
  request: Pick<PermissionRequest, 'grant_type' | 'scope'>;
  session: NonNullable<GrantFacts['session']>;
}

/** Who may not deny a request may not read the call that was refused either. */
export function whyNotDeny(maker: GrantMaker, asked: RequestInQuestion): Refusal {
  const asAsked = whyNotGrant(maker, inQuestion(asked, asked.request.scope, null));
  // Anyone who may grant less than was requested may also deny.
  return asAsked === null ? null : whyNotGrant(maker, inQuestion(asked, 'once', null));
}

/** Scopes of a grant that answers the request, by who would hold it. */
export interface GrantChoices {
  agent: GrantScope[];
  /** The user who drives the session. */
  operator: GrantScope[];
}

/** What the maker may answer the request with, narrowest first and never wider than requested. */
export function grantChoices(maker: GrantMaker, asked: RequestInQuestion): GrantChoices {
  const { request, session } = asked;
  const narrowEnough = grantScope.options.filter((scope) => scopeWidth[scope] <= scopeWidth[request.scope]);
  const allowed = (userSubjectId: string | null) =>
    narrowEnough.filter((scope) => whyNotGrant(maker, inQuestion(asked, scope, userSubjectId)) === null);
  const userMayHold = session.operator_id !== null && !agentOnlyGrantTypes.has(request.grant_type);
  return { agent: allowed(null), operator: userMayHold ? allowed(session.operator_id) : [] };
}

const inQuestion = (
  { request: { grant_type }, ...facts }: RequestInQuestion,
  scope: GrantScope,
  userSubjectId: string | null,
) => grantInQuestion({ grant_type, scope, user_subject_id: userSubjectId }, facts);
