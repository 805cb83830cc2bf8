import type { Preview } from '../../contract/preview.ts';
import type { Actor } from '../../contract/session-event.ts';
import type { NewAuditEvent } from '../../store/audit-events/append.ts';
import type { Transaction } from '../../store/database.ts';
import { agentNameOf } from '../../store/sessions/agent-name.ts';
import { readSession } from '../../store/sessions/read-session.ts';

/** An audit event of a preview: what it is and for how long, without the agent's title, paths and contents. `reason`: why it ended by itself. */
export async function auditPreview(
  trx: Transaction,
  event: 'session.preview.deployed' | 'session.preview.ended',
  actor: Actor,
  preview: Preview,
  { reason }: { reason?: string } = {},
): Promise<NewAuditEvent> {
  const { id, workspace_id: workspaceId, session_id: sessionId, service } = preview;
  const { audience, files, size_bytes, expires_at } = preview;
  const session = await readSession(trx, sessionId);
  const name = session === null ? '' : await agentNameOf(trx, session.agent_id);
  const data = {
    ...{ audience, files, size_bytes, expires_at },
    ...(service === null ? {} : { service }),
    ...(reason === undefined ? {} : { reason }),
  };
  return { workspaceId, event, actor, resource: { type: 'preview', id, name }, sessionId, data };
}
