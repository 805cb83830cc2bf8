import type { Knex } from 'knex';

/** The key that a caller gave a repeatable request (`Idempotency-Key`), and what the first one created. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table decisions add column idempotency_key text, add column input_sha256 text, add column grant_id uuid;
    alter table sessions add column idempotency_key text;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table sessions drop column idempotency_key;
    alter table decisions drop column idempotency_key, drop column input_sha256, drop column grant_id;
  `);
}
