import type { Knex } from 'knex';
import { buildIndexConcurrently } from './build-index-concurrently.ts';

export const config = { transaction: false };

/** Indexes for finding ended sessions whose calls may be unreported, and the calls that their checks let pass. */
export async function up(knex: Knex): Promise<void> {
  await buildIndexConcurrently(knex, {
    name: 'sessions_unsettled',
    on: 'sessions (ended_at desc) where ended_at is not null and calls_settled_at is null',
  });
  await buildIndexConcurrently(knex, { name: 'grant_uses_of_session', on: 'grant_uses (session_id)' });
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index concurrently if exists grant_uses_of_session');
  await knex.raw('drop index concurrently if exists sessions_unsettled');
}
