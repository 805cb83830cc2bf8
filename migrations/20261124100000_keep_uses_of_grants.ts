import type { Knex } from 'knex';

/**
 * The use of a grant is the record that its call was let through, until the call is reported. So it outlives grant and session,
 * whose ids stay without foreign keys, and there is none once the session has ended: whoever then records the calls that nobody
 * reported (`calls_settled_at`) misses none. The lock makes that wait for a check that is under way.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table sessions add column calls_settled_at timestamptz;

    create function refuse_uses_after_the_end() returns trigger language plpgsql as $$
    begin
      perform from sessions where id = new.session_id and ended_at is null for key share;
      if not found then
        raise exception 'session % has ended', new.session_id using errcode = 'check_violation';
      end if;
      return new;
    end $$;
    create trigger grant_uses_before_the_end before insert on grant_uses
      for each row execute function refuse_uses_after_the_end();

    alter table grant_uses
      drop constraint grant_uses_grant_id_fkey,
      drop constraint grant_uses_session_id_fkey;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table grant_uses
      add constraint grant_uses_grant_id_fkey foreign key (grant_id) references grants on delete cascade not valid,
      add constraint grant_uses_session_id_fkey foreign key (session_id) references sessions on delete cascade not valid;
    drop trigger grant_uses_before_the_end on grant_uses;
    drop function refuse_uses_after_the_end;
    alter table sessions drop column calls_settled_at;
  `);
}
