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
      refused_server text,
      refused_tool text,
      status text not null default 'open' check (status in ('open', 'approved', 'denied', 'expired', 'cancelled')),
      grant_id uuid,
      decided_by uuid references users on delete set null,
      decided_at timestamptz,
      reason text,
      created_at timestamptz not null default now(),
      expires_at timestamptz not null,
      foreign key (workspace_id, session_id) references sessions (workspace_id, id) on delete cascade,
      foreign key (workspace_id, agent_id) references agents (workspace_id, id) on delete cascade,
      check ((status = 'open') = (decided_at is null)),
      check ((status = 'approved') = (grant_id is not null))
    );
    -- An identical open request is the same request.
    create unique index permission_requests_open on permission_requests (session_id, grant_type, details, scope)
      where status = 'open';
    create index permission_requests_by_workspace on permission_requests (workspace_id, created_at desc, id desc);
    create index permission_requests_by_session on permission_requests (session_id, status);

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
      check ((kind = 'approve') = (approval is not null)),
      check (kind = 'approve' or request_id is not null)
    );

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
      granted_by_user_id uuid not null references users,
      granted_at timestamptz not null default now(),
      reason text,
      request_id uuid unique references permission_requests on delete cascade,
      -- A once grant of a request belongs to the session that asked, and to the call that was refused there.
      bound_session_id uuid,
      bound_server text,
      bound_tool text,
      foreign key (workspace_id, agent_subject_id) references agents (workspace_id, id) on delete cascade,
      foreign key (workspace_id, session_id) references sessions (workspace_id, id) on delete cascade,
      foreign key (workspace_id, bound_session_id) references sessions (workspace_id, id) on delete cascade,
      constraint grants_one_subject check ((user_subject_id is null) <> (agent_subject_id is null)),
      constraint grants_scope_session check ((scope = 'session') = (session_id is not null)),
      constraint grants_agent_only check (grant_type not in ('spawn', 'agent_env') or agent_subject_id is not null),
      constraint grants_consumed_once check (consumed_at is null or scope = 'once'),
      constraint grants_bound check (bound_session_id is null or scope = 'once'),
      constraint grants_bound_call check (bound_session_id is not null or (bound_server is null and bound_tool is null))
    );
    create index grants_by_workspace on grants (workspace_id, granted_at desc, id desc);
    create index grants_active_of_agent on grants (agent_subject_id, grant_type)
      where consumed_at is null and revoked_at is null;
    create index grants_active_of_user on grants (user_subject_id, grant_type)
      where consumed_at is null and revoked_at is null;

    -- Invariant 4: only the validity side may change, and each of its two fields once.
    create function refuse_grant_changes() returns trigger language plpgsql as $$
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
    create trigger grants_audit_side before update on grants
      for each row execute function refuse_grant_changes();

    -- Which call passed on which grant. The call id makes a repeated check the same use.
    create table grant_uses (
      call_id uuid primary key,
      grant_id uuid not null references grants on delete cascade,
      session_id uuid not null references sessions on delete cascade,
      server text not null,
      tool text not null,
      at timestamptz not null default now()
    );
    create index grant_uses_by_grant on grant_uses (grant_id);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table grant_uses, grants, decisions, permission_requests;
    drop function refuse_grant_changes;
  `);
}
