import type { Knex } from 'knex';

/**
 * Whom a session is for: its operator, the one at the root of its tree, and who had made the schedule that started it (`keepsSession`, with which
 * `whyNotReadSession` decides of one). A condition with the parameter `userId`.
 */
export const keptCondition =
  '(operator_id = :userId or root_operator_id = :userId or schedule_maker_id = :userId)';

/** Sessions that this user may read without being an admin: those that are kept by them, and those shared with the workspace. */
export const readableCondition = `(${keptCondition} or shared_with_workspace)`;

/** Restricts a query of sessions to those that this user may read without being an admin. */
export function whereReadableBy(sessions: Knex.QueryBuilder, userId: string): Knex.QueryBuilder {
  return sessions.whereRaw(readableCondition, { userId });
}
