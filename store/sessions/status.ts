/**
 * A session's status, and the end that was asked for: the first one wins, and the workflow carries it out.
 */
import * as z from 'zod';
import {
  isTerminal,
  type Session,
  type SessionStatus,
  session,
  type TerminalStatus,
  terminalStatus,
} from '../../contract/session.ts';
import { actor } from '../../contract/session-event.ts';
import type { Db, Transaction } from '../database.ts';
import { readRow } from '../read-rows.ts';
import { sessionColumns } from './read-session.ts';

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

const requestedEnding = z.strictObject({
  by: actor,
  status: terminalStatus,
  reason: z.string(),
  summary: z.string().nullable(),
});
type RequestedEnding = z.infer<typeof requestedEnding>;

/** Set once: later requests, and requests for a session that has ended, change nothing. */
export async function requestEnding(db: Db, id: string, ending: RequestedEnding): Promise<void> {
  await db('sessions')
    .where({ id })
    .whereNull('requested_ending')
    .whereNull('ended_at')
    .update({ requested_ending: JSON.stringify(requestedEnding.parse(ending)) });
}

export async function readRequestedEnding(db: Db, id: string): Promise<RequestedEnding | null> {
  const row = await db('sessions').where({ id }).first('requested_ending');
  return row?.requested_ending == null ? null : requestedEnding.parse(row.requested_ending);
}
