/** Why a call passed, or did not: call, grant, the request before it, and what was approved by whom. */
import { createPublicKey } from 'node:crypto';
import { compactVerify } from 'jose';
import * as z from 'zod';
import { approvalClaims } from '../../contract/approval.ts';
import { grantScope, grantType } from '../../contract/grant.ts';
import { callDigest, named, timestamp, uuid } from '../../contract/names.ts';
import { toolCall } from '../../contract/tool-call.ts';
import { workspaceRole } from '../../contract/workspace.ts';
import type { Db } from '../../store/database.ts';
import { readStoredGrant } from '../../store/grants/read.ts';
import { readPermissionRequest } from '../../store/permission-requests/requests.ts';
import { readApproval, readToolCall } from '../../store/tool-calls/why.ts';
import { notFound } from '../errors.ts';
import { presentGrants, shownGrant } from '../grants/present.ts';
import { presentRequests, shownRequest } from '../permission-requests/present.ts';
import { sessionReaders } from '../policies/access.ts';
import { readableBy } from '../policies/sessions.ts';
import { type AnyRoute, defineRoute, type InWorkspace } from '../route.ts';
import type { SessionRouteDependencies } from '../session-dependencies.ts';

/** What the person who approved was shown, as it stands in their approval. */
const shownApproval = z.strictObject({
  decision_id: uuid,
  /** Null once their account was deleted. */
  by: named.nullable(),
  by_role: workspaceRole,
  at: timestamp,
  carried_out_at: timestamp.nullable(),
  grant_type: grantType,
  details: z.record(z.string(), z.unknown()),
  scope: grantScope,
  session_id: uuid.nullable(),
  expires_at: timestamp.nullable(),
  reason: z.string().nullable(),
  /** Of the one call that was approved; null: any arguments, or a session that the reader may not read. */
  call_digest: callDigest.nullable(),
  with_passkey: z.boolean(),
  /** False where it was not signed with the key that the platform has now. */
  is_signed: z.boolean(),
});

export const callExplanation = z.strictObject({
  call: toolCall,
  session_id: uuid,
  /** Null where no grant was needed, where the call did not pass, and once the grant is gone. */
  grant: shownGrant.nullable(),
  /** Null without one, and for those who may not read the session that asked. */
  request: shownRequest.nullable(),
  /** Null where nobody approved it in the platform, and once it is gone. */
  approval: shownApproval.nullable(),
});

export function whyRoute(dependencies: Dependencies): AnyRoute {
  const { db } = dependencies;
  return defineRoute({
    method: 'get',
    path: '/sessions/{session_id}/tool-calls/{call_id}/why',
    summary:
      'Why a call passed: the grant, the request that it answers, who decided when, and what they were shown',
    scope: 'session',
    access: sessionReaders,
    params: z.object({ call_id: uuid }),
    response: z.strictObject({ why: callExplanation }),
    async handler({ params, ...visit }) {
      const call = await readToolCall(db, { sessionId: visit.session.id, callId: params.call_id });
      if (call === null) {
        throw notFound('The call');
      }
      const behind = await grantOf(dependencies, visit, call.granted_via);
      return { why: { call, session_id: visit.session.id, ...behind } };
    },
  });
}

type Dependencies = Pick<SessionRouteDependencies, 'db' | 'config'>;
type Visit = Pick<InWorkspace, 'user' | 'role' | 'workspace'>;
type Explanation = z.infer<typeof callExplanation>;

async function grantOf(
  { db, config }: Dependencies,
  visit: Visit,
  grantId: string | null,
): Promise<Pick<Explanation, 'grant' | 'request' | 'approval'>> {
  const workspaceId = visit.workspace.id;
  const stored = grantId === null ? null : await readStoredGrant(db, workspaceId, grantId);
  const [grant] = stored === null ? [] : await presentGrants(db, visit, [stored]);
  if (grant === undefined) {
    return { grant: null, request: null, approval: null };
  }
  return {
    grant,
    request: grant.request_id === null ? null : await requestOf(db, visit, grant.request_id),
    approval: await approvalOf({ db, config }, workspaceId, grant),
  };
}

/** As its page shows it: not to those who may not read the session that asked. */
async function requestOf(db: Db, visit: Visit, id: string): Promise<Explanation['request']> {
  const within = { workspaceId: visit.workspace.id, readableBy: readableBy(visit) };
  const found = await readPermissionRequest(db, id, within);
  const [shown] = found === null ? [] : await presentRequests(db, visit, [found]);
  return shown ?? null;
}

/** The digest is shown to those alone to whom the grant shows it. */
async function approvalOf(
  { db, config }: Dependencies,
  workspaceId: string,
  { id, bound_to: bound, granted_by: maker }: NonNullable<Explanation['grant']>,
): Promise<Explanation['approval']> {
  const decision = await readApproval(db, { workspaceId, grantId: id });
  const claims = decision === null ? null : claimsOf(decision.approval);
  if (decision === null || claims === null) {
    return null;
  }
  const { grant, passkey } = claims;
  const agrees =
    claims.jti === decision.id &&
    grant.id === id &&
    grant.workspace_id === workspaceId &&
    grant.granted_by_user_id === maker.id;
  if (!agrees) {
    return null;
  }
  return {
    decision_id: decision.id,
    by: decision.by,
    by_role: grant.granted_by_role,
    at: decision.created_at,
    carried_out_at: decision.carried_out_at,
    grant_type: grant.grant_type,
    details: grant.details,
    scope: grant.scope,
    session_id: grant.session_id,
    expires_at: grant.expires_at,
    reason: grant.reason,
    call_digest: bound?.call_digest == null ? null : grant.bound_call_digest,
    with_passkey: passkey !== null,
    is_signed: await isSigned(decision.approval, config.APPROVAL_PRIVATE_KEY),
  };
}

/** What it says, whoever wrote it, and however old it is. Null for what does not parse. */
function claimsOf(approval: string): z.infer<typeof approvalClaims> | null {
  try {
    const [, payload = ''] = approval.split('.');
    return approvalClaims.parse(JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')));
  } catch {
    return null;
  }
}

/** By the key that signs now: after it was replaced, nothing vouches for what the one before it signed. */
async function isSigned(approval: string, privateKeyPem: string): Promise<boolean> {
  try {
    await compactVerify(approval, createPublicKey(privateKeyPem), { algorithms: ['EdDSA'] });
    return true;
  } catch {
    return false;
  }
}
