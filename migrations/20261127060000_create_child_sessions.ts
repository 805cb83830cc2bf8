import type { Knex } from 'knex';

/** Sessions that other sessions start, and how long a session may be quiet. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Its parent is on the session itself. Its id is derived from the call that started it.
    create table child_sessions (
      session_id uuid primary key references sessions on delete cascade,
      -- The spawn grant. No reference: a removed grant takes no session with it, and the audit trail has its content.
      grant_id uuid not null,
      label text
    );

    alter table sessions add column quiet_until timestamptz`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table sessions drop column quiet_until;
    drop table child_sessions`);
}
