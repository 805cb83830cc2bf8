import type { Knex } from 'knex';
import { buildIndexConcurrently } from './build-index-concurrently.ts';

export const config = { transaction: false };

/** An identical open request is the same request, and another refused call makes another one. */
export async function up(knex: Knex): Promise<void> {
  await buildIndexConcurrently(knex, {
    name: 'permission_requests_open_call',
    on: `permission_requests (session_id, grant_type, details, scope, coalesce(call_digest, '')) where status = 'open'`,
    unique: true,
  });
  await knex.raw('drop index concurrently if exists permission_requests_open');
}

export async function down(knex: Knex): Promise<void> {
  await buildIndexConcurrently(knex, {
    name: 'permission_requests_open',
    on: `permission_requests (session_id, grant_type, details, scope) where status = 'open'`,
    unique: true,
  });
  await knex.raw('drop index concurrently if exists permission_requests_open_call');
}
