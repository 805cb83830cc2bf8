import type { Knex } from 'knex';

/** Sessions that this user may read without being an admin: own ones, and those shared with the workspace (`whyNotReadSession` decides of one). */
export function whereReadableBy(sessions: Knex.QueryBuilder, userId: string): Knex.QueryBuilder {
  return sessions
    .where('operator_id', userId)
    .orWhere('root_operator_id', userId)
    .orWhere('shared_with_workspace', true);
}
