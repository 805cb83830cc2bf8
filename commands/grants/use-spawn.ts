/** The use of the grant that a session starts a child under. */
import type { Grant } from '../../contract/grant.ts';
import type { Transaction } from '../../store/database.ts';
import { insertGrantUse } from '../../store/grants/change.ts';
import { listActiveGrantsOfSession } from '../../store/grants/read.ts';
import { takeGrant } from './take-grant.ts';

/** Whether a spawn grant permits this child. */
export const permitsChild = (grant: Grant, childAgentId: string): boolean =>
  grant.details['child_agent_id'] === childAgentId;

/** A `once` grant is used only when nothing else fits. */
const widestFirst: Grant['scope'][] = ['persistent', 'session', 'once'];

/**
 * Uses one active `spawn` grant of the session's agent, and consumes it when it is a `once` grant. Returns its id, or null when no grant permits this
 * child. The caller inserts the child in the same transaction, and sees to it that one call uses one grant.
 */
export async function takeSpawnGrant(
  trx: Transaction,
  { sessionId, childAgentId, callId }: { sessionId: string; childAgentId: string; callId: string },
): Promise<string | null> {
  const grants = await listActiveGrantsOfSession(trx, sessionId, 'spawn');
  const fitting = grants.filter((grant) => permitsChild(grant, childAgentId));
  fitting.sort((a, b) => widestFirst.indexOf(a.scope) - widestFirst.indexOf(b.scope));
  for (const grant of fitting) {
    if (await takeGrant(trx, grant, sessionId)) {
      await insertGrantUse(trx, {
        ...{ id: callId, grantId: grant.id, sessionId },
        ...{ server: 'platform', tool: 'spawn_session' },
      });
      return grant.id;
    }
  }
  return null;
}
