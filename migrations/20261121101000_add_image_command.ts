import type { Knex } from 'knex';

/** What an image runs (its entrypoint and command), read together with its digest. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table mcp_servers add column image_command jsonb');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table mcp_servers drop column image_command');
}
