import type * as z from 'zod';
import { detailsByGrantType } from '../../contract/grant.ts';
import { maxJustificationLength, type PermissionRequest } from '../../contract/permission-request.ts';
import { isTerminal, type Session } from '../../contract/session.ts';
import type { PermissionRequestAnswer, permissionRequestReport } from '../../contract/sidecar.ts';
import { appendAuditEvent } from '../../store/audit-events/append.ts';
import { type Db, inTransaction, type Transaction } from '../../store/database.ts';
import { noTools } from '../../store/grants/first-tools.ts';
import { storeCall } from '../../store/permission-requests/calls.ts';
import { readOpenedTools } from '../../store/permission-requests/context.ts';
import {
  findKnownRequest,
  insertRequest,
  requestResource,
} from '../../store/permission-requests/requests.ts';
import { appendSessionEvent, derivedId } from '../../store/session-events/append.ts';
import { agentNameOf, readRequestExpiry, readSession } from '../../store/sessions/sessions.ts';
import { lockTree } from '../../store/sessions/tree.ts';
import { keepWorkspaceOpen } from '../../store/workspaces/closing.ts';
import { type AnnouncingOptions, announceRequest } from '../channel-messages/messages.ts';
import { type CallKeys, keptCallOf } from './kept-call.ts';
import { type RequestLimits, refusalOf } from './refusal.ts';

/**
 * Stores what the session's agent asks for, with its events and its audit event, or says why not. An
 * identical open request, of the same refused call, or a repeated id returns the existing request, whose call
 * stays as it is; the justification is truncated at 2,000 characters. Channels that announce requests
 * announce a new one; with `announcing` null they do not.
 */
export function askForPermission(
  db: Db,
  keys: CallKeys,
  sessionId: string,
  report: z.infer<typeof permissionRequestReport>,
  limits: RequestLimits & { expirySeconds: number },
  announcing: AnnouncingOptions | null = null,
): Promise<PermissionRequestAnswer> {
  return inTransaction(db, async (trx) => {
    const lineage = await lockTree(trx, sessionId);
    const session = await readSession(trx, sessionId);
    if (session === null || isTerminal(session.status)) {
      return refused('the session has ended');
    }
    const details = detailsByGrantType[report.grant_type].safeParse(report.details);
    if (!details.success) {
      return refused(`details do not fit a ${report.grant_type} grant`);
    }
    const justification = report.justification.slice(0, maxJustificationLength).toWellFormed();
    const call = await keptCallOf(trx, keys.callDigestKey, session, report.refused_call);
    const asked = { ...report, details: details.data, justification, refused_call: call };
    const known = await findKnownRequest(trx, sessionId, asked);
    if (known !== null) {
      return known.session_id === sessionId ? sent(known) : refused('the request id is in use');
    }
    // What closes the workspace waits for this, and finds the request with its session.
    await keepWorkspaceOpen(trx, session.workspace_id);
    const refusal = await refusalOf(trx, { session, lineage, asked, limits });
    if (refusal !== null) {
      return refusal;
    }
    // Those of a tree that a schedule started wait as long as that says.
    const ofSchedule = await readRequestExpiry(trx, lineage[0] ?? sessionId);
    const expirySeconds = ofSchedule ?? limits.expirySeconds;
    const request = await insertRequest(trx, { session, asked, expirySeconds });
    if (call !== null && call.argumentsText !== null) {
      const key = { workspaceId: session.workspace_id, requestId: request.id };
      await storeCall(trx, keys.masterKeys, key, call.argumentsText);
    }
    await announce(trx, { session, lineage, request });
    if (announcing !== null) {
      const { workspace_id: workspaceId } = session;
      await announceRequest(trx, { id: request.id, workspaceId, sessionId }, announcing);
    }
    return sent(request);
  });
}

const refused = (message: string): PermissionRequestAnswer => ({
  status: 'refused',
  code: 'invalid_request',
  message,
});

const sent = ({ id, expires_at }: Pick<PermissionRequest, 'id' | 'expires_at'>): PermissionRequestAnswer => ({
  status: 'sent',
  request_id: id,
  expires_at,
});

/**
 * Notifies everybody who may decide, in the session's own stream and each ancestor's, up to the human;
 * and writes the audit event.
 */
async function announce(
  trx: Transaction,
  input: { session: Session; lineage: readonly string[]; request: PermissionRequest },
): Promise<void> {
  const { session, lineage, request } = input;
  const actor = { type: 'agent', id: session.agent_id } as const;
  const payload = {
    request_id: request.id,
    grant_type: request.grant_type,
    details: request.details,
    scope: request.scope,
    justification: request.justification,
    agent: { id: session.agent_id, name: await agentNameOf(trx, session.agent_id) },
    session_id: session.id,
    ...((await readOpenedTools(trx, [request])).get(request.id) ?? noTools),
    expires_at: request.expires_at,
  };
  for (const sessionId of lineage) {
    const id = derivedId(request.id, 'requested', sessionId);
    await appendSessionEvent(trx, sessionId, { id, type: 'agent.permission_request', actor, payload });
  }
  await appendAuditEvent(trx, {
    id: derivedId(request.id, 'created'),
    workspaceId: session.workspace_id,
    event: 'permission_request.created',
    actor,
    resource: requestResource(request),
    sessionId: session.id,
    data: { grant_type: request.grant_type, details: request.details, scope: request.scope },
  });
}
