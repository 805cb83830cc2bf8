import type { Knex } from 'knex';

/** A session whose permission requests are muted, and the denial that muted it. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table sessions add column permission_requests_muted boolean not null default false;
    alter table decisions add column mutes_session boolean not null default false
      check (not mutes_session or kind = 'deny');
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table decisions drop column mutes_session;
    alter table sessions drop column permission_requests_muted;
  `);
}
