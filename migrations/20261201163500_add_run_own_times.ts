import type { Knex } from 'knex';

/** Whether a run came at a time of its schedule; false also where that is unknown, as of earlier runs. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table schedule_runs add column is_own_time boolean not null default false');
}
