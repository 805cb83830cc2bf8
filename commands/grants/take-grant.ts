import type { Grant } from '../../contract/grant.ts';
import { appendAuditEvent } from '../../store/audit-events/append.ts';
import type { Transaction } from '../../store/database.ts';
import { consumeGrant, lockActiveGrant } from '../../store/grants/change.ts';
import { contentOf, grantResource } from '../../store/grants/content.ts';

/**
 * Locks and rechecks an agent's grant, and consumes a `once` grant with its audit event. False for one that was revoked or consumed meanwhile, which
 * is not used.
 */
export async function takeGrant(trx: Transaction, grant: Grant, sessionId: string): Promise<boolean> {
  if (grant.scope !== 'once') {
    return lockActiveGrant(trx, grant.id);
  }
  if (!(await consumeGrant(trx, grant.id))) {
    return false;
  }
  await appendAuditEvent(trx, {
    workspaceId: grant.workspace_id,
    event: 'grant.consumed',
    actor: { type: 'agent', id: grant.agent_subject_id },
    resource: grantResource(grant),
    sessionId,
    data: contentOf(grant),
  });
  return true;
}
