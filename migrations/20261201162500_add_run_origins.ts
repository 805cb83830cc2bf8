import type { Knex } from 'knex';

/**
 * Whether a run came at a time of its schedule, false also where that is unknown, as of earlier runs; and who
 * had one come beside them. No foreign key: people are removed without their runs.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table schedule_runs
      add column requested_by uuid,
      add column is_own_time boolean not null default false`);
}
