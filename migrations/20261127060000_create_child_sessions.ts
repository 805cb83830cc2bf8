import type { Knex } from 'knex';

/** Sessions that other sessions start, what the two say to each other, and how long a session may be quiet. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Its parent is on the session itself. Its id is derived from the call that started it.
    create table child_sessions (
      session_id uuid primary key references sessions on delete cascade,
      -- The spawn grant. No reference: a removed grant takes no session with it, and the audit trail has its content.
      grant_id uuid not null,
      label text
    );

    alter table session_inputs
      -- The session that a message comes from, as its agent reads it: { relation, session_id, agent: { id, name } }.
      add column sender jsonb,
      drop constraint session_inputs_kind_check,
      add constraint session_inputs_kind_check check (kind in
        ('user_message', 'permission_decision', 'input_answer', 'session_message', 'child_ended')) not valid,
      add constraint session_inputs_sender check
        ((sender is null) = (kind in ('user_message', 'permission_decision', 'input_answer'))) not valid;

    alter table sessions add column quiet_until timestamptz`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    delete from session_inputs where sender is not null;
    alter table sessions drop column quiet_until;
    alter table session_inputs
      drop constraint session_inputs_sender,
      drop constraint session_inputs_kind_check,
      add constraint session_inputs_kind_check check (kind in ('user_message', 'permission_decision', 'input_answer')),
      drop column sender;
    drop table child_sessions`);
}
