import type { Knex } from 'knex';
import { buildIndexConcurrently } from './build-index-concurrently.ts';

export const config = { transaction: false };

/** Index for reading the latest uses of a grant for its history. */
export async function up(knex: Knex): Promise<void> {
  await buildIndexConcurrently(knex, {
    name: 'grant_uses_of_grant',
    on: 'grant_uses (grant_id, at desc, call_id desc)',
  });
  await knex.raw('drop index concurrently if exists grant_uses_by_grant');
}

export async function down(knex: Knex): Promise<void> {
  await buildIndexConcurrently(knex, { name: 'grant_uses_by_grant', on: 'grant_uses (grant_id)' });
  await knex.raw('drop index concurrently if exists grant_uses_of_grant');
}
