import type { Preview } from '../../contract/preview.ts';
import type { Actor } from '../../contract/session-event.ts';
import type { NewAuditEvent } from '../../store/audit-events/append.ts';
import type { Transaction } from '../../store/database.ts';
import { agentNameOf } from '../../store/sessions/agent-name.ts';
import { readSession } from '../../store/sessions/read-session.ts';

/** An audit event of a preview: how much it is and for how long, without the agent's title, paths and contents. */
export async function auditPreview(
  trx: Transaction,
  event: 'session.preview.deployed' | 'session.preview.ended',
  actor: Actor,
  { id, workspace_id: workspaceId, session_id: sessionId, audience, files, size_bytes, expires_at }: Preview,
): Promise<NewAuditEvent> {
  const session = await readSession(trx, sessionId);
  const name = session === null ? '' : await agentNameOf(trx, session.agent_id);
  const data = { audience, files, size_bytes, expires_at };
  return { workspaceId, event, actor, resource: { type: 'preview', id, name }, sessionId, data };
}
