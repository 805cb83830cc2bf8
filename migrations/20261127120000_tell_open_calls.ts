/** Limits for the start of single servers, calls that wait for their server, as the sidecar of their session last told, and answers of servers that did not pass, by reason. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table session_open_calls (
      session_id uuid primary key references sessions (id) on delete cascade,
      sidecar_run uuid not null,
      revision integer not null,
      calls jsonb not null,
      count integer not null
    )`);
  // Rows from before have none, so there is nothing to validate.
  await knex.raw(`
    alter table mcp_servers add column start_seconds integer,
      add constraint mcp_servers_start_seconds_check check (start_seconds > 0) not valid`);
  await knex.raw(`alter table session_processes add column faults jsonb not null default '[]'`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table mcp_servers drop column start_seconds');
  await knex.raw('alter table session_processes drop column faults');
  await knex.schema.dropTable('session_open_calls');
}
