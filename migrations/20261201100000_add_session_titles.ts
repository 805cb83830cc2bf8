import type { Knex } from 'knex';

/** What people call a session in place of the first line of its prompt; null until somebody named it. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table sessions add column title text');
}
