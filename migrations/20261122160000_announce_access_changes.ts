import type { Knex } from 'knex';

/**
 * Whatever changes who may read what is announced to the streams of that user, even when our code did not make the change. Each
 * announcement on `access_changes` is the id of a user; it only says that the tables must be read again.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create function announce_access_change() returns trigger language plpgsql as $$
    begin
      perform pg_notify('access_changes', coalesce(new.user_id, old.user_id)::text);
      return null;
    end $$;

    create trigger members_announce_access after insert or update or delete on members
      for each row execute function announce_access_change();
    create trigger sign_ins_announce_access after update of revoked_at or delete on sign_ins
      for each row execute function announce_access_change();
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop trigger members_announce_access on members;
    drop trigger sign_ins_announce_access on sign_ins;
    drop function announce_access_change();
  `);
}
