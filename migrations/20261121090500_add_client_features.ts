import type { Knex } from 'knex';

/** What a catalog entry lets its server request of the agent: nothing, unless an admin allows it. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table mcp_servers add column client_features text[] not null default '{}'
      check (client_features <@ array['elicitation', 'roots', 'sampling'])
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table mcp_servers drop column client_features');
}
