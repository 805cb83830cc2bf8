/** A grant as a person asks for it, with all that its approval names; and when it ends. Pure. */
import type { ApprovalClaims } from '../../contract/approval.ts';
import type { FieldProblem } from '../../contract/errors.ts';
import type { GrantInput } from '../../contract/grant.ts';
import type { PermissionRequest } from '../../contract/permission-request.ts';
import type { InWorkspace } from '../route.ts';
import type { SessionRouteDependencies } from '../session-dependencies.ts';

/** `nowMs`: when its maker began to approve it. */
export function newGrant(
  { workspace, user, role }: Pick<InWorkspace, 'workspace' | 'user' | 'role'>,
  input: GrantInput,
  about: { id: string; request: PermissionRequest | null; config: Cap; nowMs: number },
): ApprovalClaims['grant'] {
  const { request_id: _, call_digest: __, exact_call: isExact, passkey: ___, ...content } = input;
  const { id, request, config, nowMs } = about;
  return {
    ...content,
    id,
    workspace_id: workspace.id,
    granted_by_user_id: user.id,
    granted_by_role: role,
    request_id: request?.id ?? null,
    expires_at: endOf(input, config, nowMs),
    bound_call_digest: isExact === true ? (request?.refused_call?.digest ?? null) : null,
  };
}

type Cap = Pick<SessionRouteDependencies['config'], 'LIMIT_PERSISTENT_GRANT_SECONDS'>;

/** Of the end that the maker asks for. */
export function timeProblems(
  { expires_at: at }: GrantInput,
  { LIMIT_PERSISTENT_GRANT_SECONDS: longest }: Cap,
  nowMs: number,
): FieldProblem[] {
  if (at === undefined) {
    return [];
  }
  const problem = (message: string) => [{ path: 'expires_at', code: 'invalid_grant', message }];
  if (Date.parse(at) <= nowMs) {
    return problem('must be in the future');
  }
  return longest > 0 && Date.parse(at) > nowMs + longest * 1000
    ? problem(`must not be more than ${longest} seconds from now`)
    : [];
}

/** When the grant ends by itself: as its maker says, else as late as the installation allows. */
function endOf(
  { scope, expires_at: at }: GrantInput,
  { LIMIT_PERSISTENT_GRANT_SECONDS: longest }: Cap,
  nowMs: number,
): string | null {
  const latest =
    scope === 'persistent' && longest > 0 ? new Date(nowMs + longest * 1000).toISOString() : null;
  return at ?? latest;
}
