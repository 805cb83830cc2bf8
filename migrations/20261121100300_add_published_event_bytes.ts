import type { Knex } from 'knex';

/** What a session's agent has published so far, so that its total can be limited. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table sessions add column published_event_bytes bigint not null default 0');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table sessions drop column published_event_bytes');
}
