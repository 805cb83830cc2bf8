/** Who may deny a request: whoever may create the grant that it asks for (design 4). */
import type { PermissionRequest } from '../../contract/permission-request.ts';
import type { Session } from '../../contract/session.ts';
import { type GrantMaker, whyNotGrant } from './grants.ts';

export interface RequestInQuestion {
  request: Pick<PermissionRequest, 'grant_type' | 'scope'>;
  session: Pick<Session, 'operator_id' | 'root_operator_id'>;
  agentOwnerId: string | null;
  adminScope: boolean;
}

/** The rule that stands against it, as a sentence; null when the maker may. */
export function whyNotDeny(maker: GrantMaker, asked: RequestInQuestion): string | null {
  const asAsked = whyNotGrant(maker, inQuestion(asked, asked.request.scope));
  // Whoever may give less than was asked may also give nothing.
  return asAsked === null ? null : whyNotGrant(maker, inQuestion(asked, 'once'));
}

function inQuestion(
  { request, session, agentOwnerId, adminScope }: RequestInQuestion,
  scope: 'once' | 'session' | 'persistent',
) {
  return { grantType: request.grant_type, scope, userSubjectId: null, agentOwnerId, session, adminScope };
}
