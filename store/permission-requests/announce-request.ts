import type { Knex } from 'knex';
import type { PermissionRequest } from '../../contract/permission-request.ts';
import type { Session } from '../../contract/session.ts';
import { appendAuditEvent } from '../audit-events/append.ts';
import { noTools } from '../grants/first-tools.ts';
import { appendSessionEvent } from '../session-events/append.ts';
import { derivedId } from '../session-events/derived-id.ts';
import { agentNameOf } from '../sessions/agent-name.ts';
import { requestResource } from './audit.ts';
import { readOpenedTools } from './opened-tools.ts';

/** Notifies everybody who may decide, in the session's own stream and each ancestor's, up to the human; and writes the audit event. */
export async function announceRequest(
  trx: Knex.Transaction,
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
