import type { Knex } from 'knex';
import { buildIndexConcurrently } from './build-index-concurrently.ts';

export const config = { transaction: false };

/** A key is unique per person and workspace. */
export async function up(knex: Knex): Promise<void> {
  await buildIndexConcurrently(knex, {
    name: 'decisions_idempotency_key',
    on: 'decisions (workspace_id, user_id, idempotency_key) where idempotency_key is not null',
    unique: true,
  });
  await buildIndexConcurrently(knex, {
    name: 'sessions_idempotency_key',
    on: 'sessions (workspace_id, operator_id, idempotency_key) where idempotency_key is not null',
    unique: true,
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index concurrently if exists sessions_idempotency_key');
  await knex.raw('drop index concurrently if exists decisions_idempotency_key');
}
