import type { Knex } from 'knex';

/**
 * The end of time of a `persistent` grant. `active_grants` alone compares it, with the clock at that moment and not with the start of the transaction, so that
 * a statement which waited for a lock sees the later time; a use is refused when the grant's time was over by the time that all locks were there.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table grants
      add column expires_at timestamptz,
      add constraint grants_expire check (expires_at is null or scope = 'persistent') not valid;
    ${activeGrants('and (expires_at is null or expires_at > clock_timestamp())')}
    ${usesAreRefused(`
      if exists (select from grants where id = new.grant_id and expires_at is not null)
        and not exists (select from active_grants where id = new.grant_id) then
        raise exception 'grant % has expired', new.grant_id using errcode = 'check_violation';
      end if;`)}
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ${usesAreRefused('')}
    drop view active_grants;
    alter table grants drop column expires_at;
    ${activeGrants('')}
  `);
}

const activeGrants = (andInTime: string): string => `
  create or replace view active_grants as
    select * from grants
    where revoked_at is null and consumed_at is null
      and (scope <> 'session' or not exists (
        select from sessions where sessions.id = grants.session_id and sessions.ended_at is not null
      ))
      ${andInTime};`;

/** `afterLocks` runs once the session's row is locked. */
const usesAreRefused = (afterLocks: string): string => `
  create or replace function refuse_uses_after_the_end() returns trigger language plpgsql as $$
  begin
    perform from sessions where id = new.session_id and ended_at is null for key share;
    if not found then
      raise exception 'session % has ended', new.session_id using errcode = 'check_violation';
    end if;${afterLocks}
    return new;
  end $$;`;
