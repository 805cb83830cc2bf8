/** Conditions on sessions in SQL: whether one has ended, who may read it, and whom it waits for. */
import type { Knex } from 'knex';
import { type SessionWait, sessionWait, terminalStatus } from '../../contract/session.ts';
import type { Db } from '../database.ts';

/** Written out as in the partial indexes of sessions, which a list of parameters would not match. */
export const unfinishedStatus = `status not in (${terminalStatus.options.map((status) => `'${status}'`).join(', ')})`;

/**
 * Whom a session is for: its operator, the one at the root of its tree, and who had made the schedule that
 * started it (`keepsSession`, with which `whyNotReadSession` decides of one). A condition with the parameter
 * `userId`.
 */
export const keptCondition =
  '(operator_id = :userId or root_operator_id = :userId or schedule_maker_id = :userId)';

/**
 * Sessions that this user may read without being an admin: those that are kept by them, and those shared with
 * the workspace.
 */
export const readableCondition = `(${keptCondition} or shared_with_workspace)`;

/** Restricts a query of sessions to those that this user may read without being an admin. */
export function whereReadableBy(sessions: Knex.QueryBuilder, userId: string): Knex.QueryBuilder {
  return sessions.whereRaw(readableCondition, { userId });
}

const conditions: Record<SessionWait, string> = {
  approval: `s.ended_at is null and exists (
    select from permission_requests r where r.session_id = s.id and r.status = 'open')`,
  sign_in: `s.ended_at is null and exists (
    select from oauth_authorizations o where o.session_id = s.id and o.status = 'pending' and o.expires_at > now())`,
  answer: `s.ended_at is null and exists (
    select from input_requests i where i.session_id = s.id and i.answered_at is null)`,
};

/** Condition for sessions that wait for anybody. */
export const waitsForSomebody = Object.values(conditions)
  .map((condition) => `(${condition})`)
  .join(' or ');

/** Condition for sessions with this wait. A session may have several. */
export const waitsFor = (db: Db, wait: SessionWait) => db.raw(conditions[wait]);

/** Several at once give the first, without which the agent can do least. Null when it waits for nobody. */
export const waitingFor = (db: Db) =>
  db.raw(
    `case ${sessionWait.options.map((wait) => `when ${conditions[wait]} then '${wait}'`).join(' ')} end as waiting_for`,
  );
