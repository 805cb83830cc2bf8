import {
  isTerminal,
  type Session,
  type SessionStatus,
  session,
  type TerminalStatus,
} from '../../contract/session.ts';
import type { Db, Transaction } from '../database.ts';
import { readRow } from '../read-rows.ts';
import { sessionColumns } from './row.ts';

/** The session, locked until the transaction ends, or null. */
export async function lockSession(trx: Transaction, id: string): Promise<Session | null> {
  return readRow(trx('sessions').where({ id }).forNoKeyUpdate().first(sessionColumns), session);
}

/** Locks the session until the transaction ends, without reading it. */
export async function lockSessionRow(trx: Transaction, id: string): Promise<void> {
  await trx('sessions').where({ id }).forNoKeyUpdate().select('id');
}

/** Whether the session exists and has not ended. */
export async function isUnfinished(db: Db, id: string): Promise<boolean> {
  return (await db('sessions').where({ id }).whereNull('ended_at').first('id')) !== undefined;
}

/** Writes another status, with the time when the session first ran, or its end and outcome. */
export async function updateStatus(
  trx: Transaction,
  { id, started_at: startedAt }: Session,
  {
    to,
    reason,
    outcome,
  }: {
    to: SessionStatus;
    reason: string | null;
    outcome: { outcome: TerminalStatus; summary: string | null } | null;
  },
): Promise<void> {
  await trx('sessions')
    .where({ id })
    .update({
      status: to,
      status_reason: reason,
      ...(to === 'running' && startedAt === null ? { started_at: trx.fn.now() } : {}),
      ...(isTerminal(to)
        ? { ended_at: trx.fn.now(), outcome: outcome === null ? null : JSON.stringify(outcome) }
        : {}),
    });
}
