import type { Knex } from 'knex';

/** The outcome of a decision: carried out, or withdrawn because nobody did so in time; never both. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table decisions
      -- Null for decisions that the release before carried out, too.
      add column carried_out_at timestamptz,
      add column withdrawn_at timestamptz`);
  await knex.raw(`
    alter table decisions
      add constraint decisions_end_once check (carried_out_at is null or withdrawn_at is null) not valid`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table decisions drop column carried_out_at, drop column withdrawn_at');
}
