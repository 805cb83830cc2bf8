import type { Knex } from 'knex';

/** What an image declares as volumes, read together with its digest. Older entries have to be saved again. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table mcp_servers add column image_volumes jsonb');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table mcp_servers drop column image_volumes');
}
