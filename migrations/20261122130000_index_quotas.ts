import type { Knex } from 'knex';
import { buildIndexConcurrently } from './build-index-concurrently.ts';

export const config = { transaction: false };

const unfinished = "where status not in ('completed', 'failed', 'terminated')";
const created = "where event in ('session.created', 'workspace.created')";

const indexes = [
  { name: 'sessions_unfinished_by_root_operator', on: `sessions (root_operator_id) ${unfinished}` },
  { name: 'sessions_unfinished_by_workspace', on: `sessions (workspace_id) ${unfinished}` },
  {
    name: 'audit_events_creations_by_actor',
    on: `audit_events (actor_id, event, position desc) ${created}`,
  },
];

/** What quotas count: sessions that have not ended, and what was created lately. */
export async function up(knex: Knex): Promise<void> {
  for (const index of indexes) {
    await buildIndexConcurrently(knex, index);
  }
}

export async function down(knex: Knex): Promise<void> {
  for (const { name } of indexes) {
    await knex.raw(`drop index concurrently if exists ${name}`);
  }
}
