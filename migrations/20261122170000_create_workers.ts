import type { Knex } from 'knex';

/** The running workers, and what each detected about its machine. A row is renewed while its worker runs. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table workers (
      id uuid primary key,
      capabilities jsonb not null,
      started_at timestamptz not null default now(),
      seen_at timestamptz not null default now()
    )`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table workers');
}
