import type { Session } from '../../contract/session.ts';
import type { Actor } from '../../contract/session-event.ts';
import { appendAuditEvent } from '../audit-events/append.ts';
import { type Db, inTransaction } from '../database.ts';
import { appendSessionEvent } from '../session-events/append.ts';
import { derivedId } from '../session-events/derived-id.ts';
import { agentNameOf } from './agent-name.ts';
import { readSession } from './read-session.ts';
import { sessionColumns } from './row.ts';

export interface NewSession {
  id: string;
  workspaceId: string;
  agentId: string;
  operatorId: string | null;
  rootOperatorId: string | null;
  parentSessionId: string | null;
  prompt: string;
  /** Idempotency key of the operator's request; null or absent when they sent none. */
  idempotencyKey?: string | null;
}

/**
 * Creates a `pending` session with its first event and audit event. Idempotent by id. Returns the
 * operator's earlier session when they have already used the idempotency key in the workspace.
 */
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
        idempotency_key: input.idempotencyKey ?? null,
      })
      .onConflict()
      .ignore()
      .returning('id');
    if (inserted.length > 0) {
      await announce(trx, input);
    }
    const session = (await findSession(trx, input)) ?? (await readSession(trx, input.id));
    if (session === null) {
      throw new Error(`session ${input.id} was not stored`);
    }
    return session;
  });
}

/** The session that the operator started with this key, or null. */
export async function findSession(
  db: Db,
  {
    workspaceId,
    operatorId,
    idempotencyKey,
  }: Pick<NewSession, 'workspaceId' | 'operatorId' | 'idempotencyKey'>,
): Promise<Session | null> {
  if (operatorId === null || idempotencyKey == null) {
    return null;
  }
  const key = { workspace_id: workspaceId, operator_id: operatorId, idempotency_key: idempotencyKey };
  return (
    (await db('sessions')
      .where(key)
      .first([...sessionColumns])) ?? null
  );
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
