/** The use of the grant that a session starts a child under. */
import type { Grant } from '../../contract/grant.ts';
import { platformServerName } from '../../contract/platform-server-name.ts';
import type { Db, Transaction } from '../../store/database.ts';
import { insertGrantUse } from '../../store/grants/change.ts';
import { listActiveGrantsOfSession } from '../../store/grants/read.ts';
import { derivedId } from '../../store/session-events/derived-id.ts';
import { takeGrant } from './take-grant.ts';

/** The active grants under which a session may start others. One that is bound to a tool permits calls of that tool, and starts nothing. */
export async function listSpawnGrants(db: Db, sessionId: string): Promise<Grant[]> {
  const grants = await listActiveGrantsOfSession(db, sessionId, 'spawn');
  return grants.filter(({ bound_to }) => bound_to === null || bound_to.tool === null);
}

/** The agent that a `spawn` grant lets its holder start. */
export const childAgentOf = ({ details }: Grant): string => String(details['child_agent_id']);

/** A `once` grant is used only when nothing else fits. */
const widestFirst: Grant['scope'][] = ['persistent', 'session', 'once'];

/**
 * Uses one active `spawn` grant of the session's agent, and consumes it when it is a `once` grant. Returns its id, or null when no grant permits this
 * child. The caller inserts the child in the same transaction, and sees to it that a child uses one grant.
 */
export async function takeSpawnGrant(
  trx: Transaction,
  { sessionId, childAgentId, childId }: { sessionId: string; childAgentId: string; childId: string },
): Promise<string | null> {
  const grants = await listSpawnGrants(trx, sessionId);
  const fitting = grants.filter((grant) => childAgentOf(grant) === childAgentId);
  fitting.sort((a, b) => widestFirst.indexOf(a.scope) - widestFirst.indexOf(b.scope));
  for (const grant of fitting) {
    if (await takeGrant(trx, grant, sessionId)) {
      await insertGrantUse(trx, {
        ...{ id: derivedId(childId, 'spawn'), grantId: grant.id, sessionId },
        ...{ server: platformServerName, tool: 'spawn_session' },
      });
      return grant.id;
    }
  }
  return null;
}
