import type { Knex } from 'knex';

/** Whether a run came at a time of its schedule; false also where nobody knows, as of the runs before. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table schedule_runs add column is_own_time boolean not null default false');
}
