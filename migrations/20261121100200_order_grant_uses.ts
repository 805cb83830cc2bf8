import type { Knex } from 'knex';

/** The last uses of a grant are read for its history, without the others. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create index grant_uses_of_grant on grant_uses (grant_id, at desc, call_id desc);
    drop index grant_uses_by_grant;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    create index grant_uses_by_grant on grant_uses (grant_id);
    drop index grant_uses_of_grant;
  `);
}
