import type { Knex } from 'knex';

/** Who had a schedule run now; null for its own times. No foreign key: people are removed without their runs. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table schedule_runs add column requested_by uuid');
}
