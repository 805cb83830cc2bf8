import type { Knex } from 'knex';

/** A retry of a remote server that is in use: one that reaches nobody changes nothing. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table mcp_registrations
      -- The entry was in use when this attempt began.
      add column resumes boolean not null default false,
      -- Why the last attempt reached nobody, and changed nothing.
      add column unreached_reason text`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table mcp_registrations drop column resumes, drop column unreached_reason');
}
