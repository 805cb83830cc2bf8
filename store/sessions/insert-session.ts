import type { Session } from '../../contract/session.ts';
import type { Actor } from '../../contract/session-event.ts';
import { appendAuditEvent } from '../audit-events/append.ts';
import { type Db, inTransaction } from '../database.ts';
import { appendSessionEvent } from '../session-events/append.ts';
import { derivedId } from '../session-events/derived-id.ts';
import { agentNameOf } from './agent-name.ts';
import { readSession } from './read-session.ts';

export interface NewSession {
  id: string;
  workspaceId: string;
  agentId: string;
  operatorId: string | null;
  rootOperatorId: string | null;
  parentSessionId: string | null;
  prompt: string;
}

/** Creates a `pending` session with its first event and audit event. Writing the same id again changes nothing. */
export function insertSession(db: Db, input: NewSession): Promise<Session> {
  return inTransaction(db, async (trx) => {
    const inserted = await trx('sessions')
      .insert({
        id: input.id,
        workspace_id: input.workspaceId,
        agent_id: input.agentId,
        operator_id: input.operatorId,
        root_operator_id: input.rootOperatorId,
        parent_session_id: input.parentSessionId,
        prompt: input.prompt,
      })
      .onConflict('id')
      .ignore()
      .returning('id');
    if (inserted.length > 0) {
      await announce(trx, input);
    }
    const session = await readSession(trx, input.id);
    if (session === null) {
      throw new Error(`session ${input.id} was not stored`);
    }
    return session;
  });
}

async function announce(trx: Db, input: NewSession): Promise<void> {
  const actor: Actor =
    input.operatorId === null ? { type: 'system', id: null } : { type: 'user', id: input.operatorId };
  await appendSessionEvent(trx, input.id, {
    id: derivedId(input.id, 'pending'),
    type: 'session.status_changed',
    actor,
    payload: { from: null, to: 'pending', reason: null },
  });
  await appendAuditEvent(trx, {
    workspaceId: input.workspaceId,
    event: 'session.created',
    actor,
    resource: { type: 'session', id: input.id, name: await agentNameOf(trx, input.agentId) },
    sessionId: input.id,
    data: { agent_id: input.agentId, parent_session_id: input.parentSessionId },
  });
}
