import type { Knex } from 'knex';
import { buildIndexConcurrently } from './build-index-concurrently.ts';

export const config = { transaction: false };

const name = 'audit_events_children_by_root_operator';

/** What the hourly quota of a person counts besides what they started themselves: sessions that sessions below theirs started. */
export function up(knex: Knex): Promise<void> {
  return buildIndexConcurrently(knex, {
    name,
    on: `audit_events ((data->>'root_operator_id'), position desc)
      where event = 'session.created' and actor_type = 'agent'`,
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`drop index concurrently if exists ${name}`);
}
