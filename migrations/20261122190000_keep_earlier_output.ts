/** What sidecars before a restart took of a process's output stays in front of what comes later, and is counted with it. */
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
