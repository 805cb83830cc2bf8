import type { Knex } from 'knex';

/** Why a remote server refused a person's sign-in: they read it where they sign in again. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table oauth_connections
      -- A sentence, with the server's words. Of a sign-in that has not ended: its server refuses the tokens that it gives.
      add column refusal text,
      -- Answers to a refresh, in a row, that were no tokens.
      add column unreadable_refreshes integer not null default 0`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table oauth_connections drop column refusal, drop column unreadable_refreshes');
}
