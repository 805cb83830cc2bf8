import type { Knex } from 'knex';

/** What sessions say to each other. Apart from the changes of sessions, so that no lock of one table is held while that of the other is waited for. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table session_inputs
      -- The session that a message comes from, as its agent reads it: { relation, session_id, agent: { id, name } }.
      add column sender jsonb,
      drop constraint session_inputs_kind_check,
      add constraint session_inputs_kind_check check (kind in
        ('user_message', 'permission_decision', 'input_answer', 'session_message', 'child_ended')) not valid,
      add constraint session_inputs_sender check
        ((sender is null) = (kind in ('user_message', 'permission_decision', 'input_answer'))) not valid`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    delete from session_inputs where sender is not null;
    alter table session_inputs
      drop constraint session_inputs_sender,
      drop constraint session_inputs_kind_check,
      add constraint session_inputs_kind_check check (kind in ('user_message', 'permission_decision', 'input_answer')),
      drop column sender`);
}
