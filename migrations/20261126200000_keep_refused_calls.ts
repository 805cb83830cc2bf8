import type { Knex } from 'knex';

/**
 * The call that was refused before an agent asked, and grants that permit exactly that one. The new columns are null everywhere, so nothing
 * has to be looked at for their constraints.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table workspaces add column keep_refused_calls boolean not null default true;

    alter table permission_requests
      add column call_digest text,
      add column call_size_bytes integer,
      add constraint permission_requests_call_digest check (call_digest is null or (
        call_digest ~ '^[0-9a-f]{64}$' and num_nulls(call_size_bytes, refused_server, refused_tool) = 0
      )) not valid,
      add constraint permission_requests_call_size check (call_size_bytes >= 0) not valid;

    -- The arguments of such a call, sealed like a secret's value.
    create table permission_request_calls (
      id uuid primary key default gen_random_uuid(),
      workspace_id uuid not null references workspaces on delete cascade,
      request_id uuid not null unique references permission_requests on delete cascade,
      name text not null,
      sealed_value bytea not null,
      sealed_data_key bytea not null,
      key_id text not null
    );
    create index permission_request_calls_by_key on permission_request_calls (key_id);
    create index permission_request_calls_by_workspace on permission_request_calls (workspace_id);

    -- Whoever uses such a grant up says for which call. The release before does not, and is refused.
    alter table grants
      add column bound_call_digest text,
      add column consumed_call_digest text,
      add constraint grants_bound_exact_call check (bound_call_digest is null or (
        bound_call_digest ~ '^[0-9a-f]{64}$' and scope = 'once' and num_nulls(bound_server, bound_tool) = 0
      )) not valid,
      add constraint grants_consumed_by_bound_call check (case
        when consumed_at is null then consumed_call_digest is null
        else consumed_call_digest is not distinct from bound_call_digest
      end) not valid;
    create or replace function refuse_grant_changes() returns trigger language plpgsql as $$
    begin
      if (to_jsonb(new) - array['consumed_at', 'consumed_call_digest', 'revoked_at'])
        <> (to_jsonb(old) - array['consumed_at', 'consumed_call_digest', 'revoked_at']) then
        raise exception 'the audit side of grant % is never changed', old.id using errcode = 'check_violation';
      end if;
      if (old.consumed_at is not null and new.consumed_at is distinct from old.consumed_at)
        or (old.revoked_at is not null and new.revoked_at is distinct from old.revoked_at) then
        raise exception 'grant % is final', old.id using errcode = 'check_violation';
      end if;
      return new;
    end $$;
    create or replace view active_grants as
      select * from grants
      where revoked_at is null and consumed_at is null
        and (scope <> 'session' or not exists (
          select from sessions where sessions.id = grants.session_id and sessions.ended_at is not null
        ));
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop view active_grants;
    alter table grants drop column bound_call_digest, drop column consumed_call_digest;
    create or replace function refuse_grant_changes() returns trigger language plpgsql as $$
    begin
      if (to_jsonb(new) - 'consumed_at' - 'revoked_at') <> (to_jsonb(old) - 'consumed_at' - 'revoked_at') then
        raise exception 'the audit side of grant % is never changed', old.id using errcode = 'check_violation';
      end if;
      if (old.consumed_at is not null and new.consumed_at is distinct from old.consumed_at)
        or (old.revoked_at is not null and new.revoked_at is distinct from old.revoked_at) then
        raise exception 'grant % is final', old.id using errcode = 'check_violation';
      end if;
      return new;
    end $$;
    create view active_grants as
      select * from grants
      where revoked_at is null and consumed_at is null
        and (scope <> 'session' or not exists (
          select from sessions where sessions.id = grants.session_id and sessions.ended_at is not null
        ));
    drop table permission_request_calls;
    alter table permission_requests drop column call_digest, drop column call_size_bytes;
    alter table workspaces drop column keep_refused_calls;
  `);
}
