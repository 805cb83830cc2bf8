import { type Session, session } from '../../contract/session.ts';
import type { Db, Transaction } from '../database.ts';
import { readRow } from '../read-rows.ts';
import { sessionColumns } from './read-session.ts';

export interface NewSession {
  id: string;
  workspaceId: string;
  agentId: string;
  operatorId: string | null;
  rootOperatorId: string | null;
  parentSessionId: string | null;
  prompt: string;
  /**
   * Of the schedule that starts it, or the session at the top of its tree, whose expiry counts
   * for requests in all of it.
   */
  schedule?: { id: string; makerId: string; requestExpirySeconds: number | null };
  /** Idempotency key of the operator's request; null or absent when they sent none. */
  idempotencyKey?: string | null;
}

/**
 * Inserts a `pending` session; false, and nothing inserted, for an id or an idempotency
 * key that is already there.
 */
export async function insertSession(trx: Transaction, input: NewSession): Promise<boolean> {
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
      schedule_id: input.schedule?.id ?? null,
      schedule_maker_id: input.schedule?.makerId ?? null,
      request_expiry_seconds: input.schedule?.requestExpirySeconds ?? null,
    })
    .onConflict()
    .ignore()
    .returning('id');
  return inserted.length > 0;
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
  return readRow(db('sessions').where(key).first(sessionColumns), session);
}
