import type { Knex } from 'knex';

/** Where a session's sidecar was told that the API is: it cannot be told again. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table sessions add column api_url text');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table sessions drop column api_url');
}
