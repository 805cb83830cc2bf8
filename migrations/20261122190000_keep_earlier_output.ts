/** A process's output captured before a sidecar restart is kept in front of later output, and counted with it. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table session_processes
      -- Of what is in sealed_output, so much at its beginning.
      add column earlier_output_size_bytes integer not null default 0,
      add column earlier_written_bytes bigint not null default 0`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table session_processes
      drop column earlier_output_size_bytes,
      drop column earlier_written_bytes`);
}
