import type { Knex } from 'knex';

/** Permission requests, the humans' decisions, grants and their uses. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table permission_requests (
      id uuid primary key,
      workspace_id uuid not null,
      session_id uuid not null,
      agent_id uuid not null,
      grant_type text not null,
      details jsonb not null,
      scope text not null check (scope in ('once', 'session', 'persistent')),
      justification text not null,
      -- The call that was refused before the agent asked.
      refused_server text,
      refused_tool text,
      status text not null default 'open' check (status in ('open', 'approved', 'denied', 'expired', 'cancelled')),
      grant_id uuid,
      decided_by uuid references users on delete set null,
      decided_at timestamptz,
      reason text,
      created_at timestamptz not null default now(),
      expires_at timestamptz not null,
      call_digest text,
      call_size_bytes integer,
      foreign key (workspace_id, session_id) references sessions (workspace_id, id) on delete cascade,
      foreign key (workspace_id, agent_id) references agents (workspace_id, id) on delete cascade,
      check ((status = 'open') = (decided_at is null)),
      check ((status = 'approved') = (grant_id is not null)),
      constraint permission_requests_call_digest check (call_digest is null or (
        call_digest ~ '^[0-9a-f]{64}$' and num_nulls(call_size_bytes, refused_server, refused_tool) = 0
      )),
      constraint permission_requests_call_size check (call_size_bytes >= 0)
    );
    -- An identical open request is the same request, and another refused call makes another one.
    create unique index permission_requests_open_call
      on permission_requests (session_id, grant_type, details, scope, coalesce(call_digest, ''))
      where status = 'open';
    create index permission_requests_by_workspace on permission_requests (workspace_id, created_at desc, id desc);
    create index permission_requests_by_session on permission_requests (session_id, status);
    create trigger permission_requests_in_open_workspace before insert on permission_requests
      for each row execute function refuse_in_closed_workspace();

    -- The arguments of a refused call, sealed like a secret's value.
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

    -- What a human decided, before a workflow carries it out. Workflows are given the id only.
    create table decisions (
      id uuid primary key,
      workspace_id uuid not null references workspaces on delete cascade,
      request_id uuid references permission_requests on delete cascade,
      kind text not null check (kind in ('approve', 'deny')),
      user_id uuid not null references users on delete cascade,
      reason text,
      -- The approval that the API signed; the activity that writes the grant verifies it.
      approval text,
      created_at timestamptz not null default now(),
      -- No request of the session is shown any more.
      mutes_session boolean not null default false,
      -- What the caller gave a repeatable request (Idempotency-Key), and what the first one created.
      idempotency_key text,
      input_sha256 text,
      grant_id uuid,
      -- Carried out, or withdrawn because nobody did so in time; never both.
      carried_out_at timestamptz,
      withdrawn_at timestamptz,
      check ((kind = 'approve') = (approval is not null)),
      check (kind = 'approve' or request_id is not null),
      check (not mutes_session or kind = 'deny'),
      constraint decisions_end_once check (carried_out_at is null or withdrawn_at is null)
    );
    -- A key is unique per person and workspace.
    create unique index decisions_idempotency_key on decisions (workspace_id, user_id, idempotency_key)
      where idempotency_key is not null;

    -- A grant is deleted with its subject, its workspace and, when its scope is session, that session. It outlives
    -- its maker, the request that it answered and the session that asked: their ids have no foreign keys.
    create table grants (
      id uuid primary key,
      workspace_id uuid not null references workspaces on delete cascade,
      user_subject_id uuid references users on delete cascade,
      agent_subject_id uuid,
      grant_type text not null,
      details jsonb not null default '{}' check (jsonb_typeof(details) = 'object'),
      scope text not null check (scope in ('once', 'session', 'persistent')),
      session_id uuid,
      consumed_at timestamptz,
      revoked_at timestamptz,
      granted_by_user_id uuid not null,
      granted_at timestamptz not null default now(),
      reason text,
      request_id uuid unique,
      -- A once grant of a request belongs to the session that asked, and to the call that was refused there.
      bound_session_id uuid,
      bound_server text,
      bound_tool text,
      -- The maker's role at that time: a scope restricted to admins accepts an admin's grant only.
      granted_by_role text not null check (granted_by_role in ('admin', 'member')),
      -- Such a grant permits exactly that call, and whoever uses it up says for which one.
      bound_call_digest text,
      consumed_call_digest text,
      expires_at timestamptz,
      foreign key (workspace_id, agent_subject_id) references agents (workspace_id, id) on delete cascade,
      foreign key (workspace_id, session_id) references sessions (workspace_id, id) on delete cascade,
      constraint grants_one_subject check ((user_subject_id is null) <> (agent_subject_id is null)),
      constraint grants_scope_session check ((scope = 'session') = (session_id is not null)),
      constraint grants_agent_only check (grant_type not in ('spawn', 'agent_env') or agent_subject_id is not null),
      constraint grants_model_key_agent_only check (grant_type <> 'model_key' or user_subject_id is null),
      constraint grants_consumed_once check (consumed_at is null or scope = 'once'),
      constraint grants_expire check (expires_at is null or scope = 'persistent'),
      constraint grants_bound check (bound_session_id is null or scope = 'once'),
      constraint grants_bound_call check (bound_session_id is not null or (bound_server is null and bound_tool is null)),
      constraint grants_bound_exact_call check (bound_call_digest is null or (
        bound_call_digest ~ '^[0-9a-f]{64}$' and scope = 'once' and num_nulls(bound_server, bound_tool) = 0
      )),
      constraint grants_consumed_by_bound_call check (case
        when consumed_at is null then consumed_call_digest is null
        else consumed_call_digest is not distinct from bound_call_digest
      end)
    );
    create index grants_by_workspace on grants (workspace_id, granted_at desc, id desc);
    create index grants_active_of_agent on grants (agent_subject_id, grant_type)
      where consumed_at is null and revoked_at is null;
    create index grants_active_of_user on grants (user_subject_id, grant_type)
      where consumed_at is null and revoked_at is null;
    create trigger grants_in_open_workspace before insert on grants
      for each row execute function refuse_in_closed_workspace();

    -- Invariant 4: only the validity side may change, and each of its fields once.
    create function refuse_grant_changes() returns trigger language plpgsql as $$
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
    create trigger grants_audit_side before update on grants
      for each row execute function refuse_grant_changes();

    -- The one definition of an active grant (docs/grants.md#scope-and-state): neither revoked, used up nor expired,
    -- nor for a session that has ended. Simple enough for Postgres to update and lock through, so that whoever
    -- waited for a row looks at these conditions again, with the clock of that moment.
    create view active_grants as
      select * from grants
      where revoked_at is null and consumed_at is null
        and (scope <> 'session' or not exists (
          select from sessions where sessions.id = grants.session_id and sessions.ended_at is not null
        ))
        and (expires_at is null or expires_at > clock_timestamp());

    -- Which call passed on which grant: the call id makes a repeated check the same use. A use is the record that
    -- its call was let through, until the call is reported: it outlives grant and session, whose ids have no
    -- foreign keys.
    create table grant_uses (
      call_id uuid primary key,
      grant_id uuid not null,
      session_id uuid not null,
      server text not null,
      tool text not null,
      at timestamptz not null default now()
    );
    create index grant_uses_of_grant on grant_uses (grant_id, at desc, call_id desc);
    create index grant_uses_of_session on grant_uses (session_id);

    -- There is no use once the session has ended, so that whoever then records the calls that nobody reported
    -- (calls_settled_at) misses none: the lock makes that wait for a check that is under way. Expiry is looked at
    -- last, when all locks are there.
    create function refuse_uses_after_the_end() returns trigger language plpgsql as $$
    begin
      perform from sessions where id = new.session_id and ended_at is null for key share;
      if not found then
        raise exception 'session % has ended', new.session_id using errcode = 'check_violation';
      end if;
      if not is_open_workspace((select workspace_id from sessions where id = new.session_id)) then
        raise exception 'the workspace of session % is closed', new.session_id using errcode = 'check_violation';
      end if;
      if exists (select from grants where id = new.grant_id and expires_at is not null)
        and not exists (select from active_grants where id = new.grant_id) then
        raise exception 'grant % has expired', new.grant_id using errcode = 'check_violation';
      end if;
      return new;
    end $$;
    create trigger grant_uses_before_the_end before insert on grant_uses
      for each row execute function refuse_uses_after_the_end();

    create function delete_grant_uses_of_workspace() returns trigger language plpgsql as $$
    begin
      delete from grant_uses where session_id in (select id from sessions where workspace_id = old.id);
      return old;
    end $$;
    create trigger workspaces_delete_grant_uses before delete on workspaces
      for each row execute function delete_grant_uses_of_workspace();
  `);
}
