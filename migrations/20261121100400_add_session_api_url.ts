import type { Knex } from 'knex';

/** The API address that a session's sidecar was started with: it cannot change later. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table sessions add column api_url text');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table sessions drop column api_url');
}
