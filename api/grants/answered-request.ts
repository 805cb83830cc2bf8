/** Which permission request a new grant answers, if any. */
import { isDeepStrictEqual } from 'node:util';
import type { FieldProblem } from '../../contract/errors.ts';
import { type GrantInput, scopeWidth } from '../../contract/grant.ts';
import type { PermissionRequest } from '../../contract/permission-request.ts';
import type { Session } from '../../contract/session.ts';
import type { Db } from '../../store/database.ts';
import { findEqualOpenRequest, readPermissionRequest } from '../../store/permission-requests/requests.ts';
import { isSharedWithWorkspace, readSession } from '../../store/sessions/sessions.ts';
import { ApiError, invalid, requireAllowed } from '../errors.ts';
import { requireOpen } from '../permission-requests/decide-request.ts';
import { grantMaker } from '../policies/grant-maker.ts';
import { readableBy, whyNotDecideIn } from '../policies/sessions.ts';
import type { InWorkspace } from '../route.ts';

export interface AnsweredRequest {
  request: PermissionRequest;
  session: Session & { isShared: boolean };
}

/**
 * The request that `request_id` names, or the open one that matches in every field and is of a session that
 * the visitor may read, or null. Throws 403 when they may not read the session of the named one, 422 when it
 * does not fit the grant, 409 `already_decided` when it is not open, and 409 `conflict` when the call that
 * the person was shown is not the one of the request that they name.
 */
export async function readAnsweredRequest(
  db: Db,
  visit: Pick<InWorkspace, 'user' | 'role' | 'workspace'>,
  input: GrantInput,
): Promise<AnsweredRequest | null> {
  const workspaceId = visit.workspace.id;
  const request =
    input.request_id === undefined
      ? await findEqualOpenRequest(db, workspaceId, input, { readableBy: readableBy(visit) })
      : await readPermissionRequest(db, input.request_id, { workspaceId });
  const found = request === null ? null : await readSession(db, request.session_id);
  if (request !== null && found !== null) {
    const session = { ...found, isShared: await isSharedWithWorkspace(db, found.id) };
    requireAllowed(whyNotDecideIn(grantMaker(visit), session));
    requireFit(input, { request, session });
    return { request, session };
  }
  if (input.request_id !== undefined) {
    const message = 'there is no such permission request in this workspace';
    throw invalid([{ path: 'request_id', code: 'unknown_reference', message }]);
  }
  return null;
}

function requireFit(input: GrantInput, answered: AnsweredRequest): void {
  const problems = misfits(input, answered);
  if (problems.length > 0) {
    throw invalid(problems);
  }
  requireOpen(answered.request);
  if (input.request_id !== undefined) {
    requireShownCall(input.call_digest ?? null, answered.request.refused_call?.digest ?? null);
  }
}

function requireShownCall(shown: string | null, asked: string | null): void {
  if (shown === asked) {
    return;
  }
  const message =
    shown === null
      ? 'The request has a refused call: read it, and name its digest as call_digest'
      : 'The call that you were shown is not the refused call of this request: read the request again, and decide on that';
  throw new ApiError('conflict', message);
}

function misfits(input: GrantInput, { request, session }: AnsweredRequest): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const differs = (path: string, message: string) =>
    problems.push({ path, code: 'differs_from_request', message });
  if (input.grant_type !== request.grant_type) {
    differs('grant_type', `the request is for ${request.grant_type}`);
  }
  if (!isDeepStrictEqual(input.details, request.details)) {
    differs('details', 'must be what was requested');
  }
  if (scopeWidth[input.scope] > scopeWidth[request.scope]) {
    differs('scope', `must not be wider than ${request.scope}, which was requested`);
  }
  if (input.session_id !== null && input.session_id !== request.session_id) {
    differs('session_id', 'must be the session that asked');
  }
  if (input.agent_subject_id !== null && input.agent_subject_id !== request.agent_id) {
    differs('agent_subject_id', 'must be the agent that asked');
  }
  if (input.user_subject_id !== null && input.user_subject_id !== session.operator_id) {
    differs('user_subject_id', 'must be the user who drives the session that asked');
  }
  if (input.exact_call === true && (request.refused_call?.digest ?? null) === null) {
    differs(
      'exact_call',
      'must be absent: the arguments of the refused call were not kept, so no grant can be bound to it',
    );
  }
  return problems;
}
