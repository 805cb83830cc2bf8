import type { Knex } from 'knex';

/** Sessions with their frozen configuration and gated tools, events and inputs. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table sessions (
      id uuid primary key default gen_random_uuid(),
      workspace_id uuid not null references workspaces on delete cascade,
      agent_id uuid not null,
      operator_id uuid references users on delete set null,
      root_operator_id uuid references users on delete set null,
      parent_session_id uuid,
      shared_with_workspace boolean not null default false,
      status text not null default 'pending' check (status in ('pending', 'validating',
        'awaiting_authorization', 'starting', 'running', 'completed', 'failed', 'terminated')),
      status_reason text,
      prompt text not null,
      outcome jsonb,
      last_event_seq integer not null default 0,
      last_input_seq integer not null default 0,
      last_activity_at timestamptz not null default now(),
      -- Where the sidecar's control port listens now; each report of readiness replaces it.
      control_url text,
      -- What asked for the end first: { by: actor, status: completed | failed | terminated, reason, summary }. Set once.
      requested_ending jsonb,
      created_at timestamptz not null default now(),
      started_at timestamptz,
      ended_at timestamptz,
      permission_requests_muted boolean not null default false,
      -- What its agent has published so far, so that the total can be limited.
      published_event_bytes bigint not null default 0,
      -- The address of the API that its sidecar was started with: it cannot change later.
      api_url text,
      -- What the caller gave the request that created it (Idempotency-Key).
      idempotency_key text,
      -- How many records its calls have, so that their number can be limited.
      recorded_calls integer not null default 0,
      -- When the calls that nobody reported were recorded, after its end.
      calls_settled_at timestamptz,
      -- Until when it has used up its messages a minute.
      messages_paced_until timestamptz,
      quiet_until timestamptz,
      -- Of a session that a schedule started, as it was then. No references: they stay true when it is removed.
      schedule_id uuid,
      schedule_maker_id uuid,
      request_expiry_seconds integer,
      unique (workspace_id, id),
      foreign key (workspace_id, agent_id) references agents (workspace_id, id) on delete cascade,
      foreign key (workspace_id, parent_session_id) references sessions (workspace_id, id) on delete cascade,
      check ((status in ('completed', 'failed', 'terminated')) = (ended_at is not null))
    );
    create index sessions_by_workspace on sessions (workspace_id, created_at desc, id desc);
    create index sessions_by_parent on sessions (parent_session_id);
    create index sessions_by_agent on sessions (agent_id);
    -- A key is unique per person and workspace.
    create unique index sessions_idempotency_key on sessions (workspace_id, operator_id, idempotency_key)
      where idempotency_key is not null;
    create index sessions_unsettled on sessions (ended_at desc) where ended_at is not null and calls_settled_at is null;
    -- What quotas count.
    create index sessions_unfinished_by_root_operator on sessions (root_operator_id)
      where status not in ('completed', 'failed', 'terminated');
    create index sessions_unfinished_by_workspace on sessions (workspace_id)
      where status not in ('completed', 'failed', 'terminated');
    create index sessions_unfinished_by_schedule_maker on sessions (schedule_maker_id)
      where status not in ('completed', 'failed', 'terminated');

    create trigger sessions_in_open_workspace before insert on sessions
      for each row execute function refuse_in_closed_workspace();
    create function refuse_leaving_terminal_status() returns trigger language plpgsql as $$
    begin
      if old.status in ('completed', 'failed', 'terminated') and new.status <> old.status then
        raise exception 'session % already ended as %', old.id, old.status using errcode = 'check_violation';
      end if;
      return new;
    end $$;
    create trigger sessions_terminal before update of status on sessions
      for each row execute function refuse_leaving_terminal_status();

    -- Of sessions that another session started. Its parent is on the session itself, whose id is derived from
    -- the call that started it.
    create table child_sessions (
      session_id uuid primary key references sessions on delete cascade,
      -- The spawn grant. No reference: a removed grant takes no session with it, and the audit trail has its content.
      grant_id uuid not null,
      label text
    );

    create table session_configurations (
      session_id uuid primary key references sessions on delete cascade,
      configuration jsonb not null,
      frozen_at timestamptz not null default now()
    );

    -- The gated tools of a session as rows, written when its configuration is frozen; they never change.
    create table session_tools (
      session_id uuid not null references session_configurations on delete cascade,
      server text not null,
      tool text not null,
      scope text not null,
      -- The catalog entry that was frozen as the server; it may have been deleted since.
      entry_id uuid not null,
      -- A server that the session froze with this scope restricts it to admins.
      admin_only boolean not null,
      -- The server's place in the configuration.
      position integer not null,
      primary key (session_id, server, tool)
    );

    create function tools_of_configuration(configuration jsonb)
      returns table (server text, tool text, scope text, entry_id uuid, admin_only boolean, "position" integer)
      language sql immutable as $$
      select frozen ->> 'name', gate.key, gate.value, (frozen ->> 'entry_id')::uuid,
        coalesce(bool_or(frozen ->> 'approvers' = 'admin') over (partition by gate.value), false), place::integer
      from jsonb_array_elements(configuration -> 'servers') with ordinality as servers (frozen, place)
      cross join jsonb_each_text(frozen -> 'tool_scopes') as gate
    $$;
    create function write_session_tools() returns trigger language plpgsql as $$
    begin
      insert into session_tools (session_id, server, tool, scope, entry_id, admin_only, position)
      select new.session_id, server, tool, scope, entry_id, admin_only, position
      from tools_of_configuration(new.configuration);
      return null;
    end $$;
    create trigger session_configurations_write_tools after insert on session_configurations
      for each row execute function write_session_tools();

    create function refuse_session_tool_change() returns trigger language plpgsql as $$
    begin
      raise exception 'the tools of a session never change' using errcode = 'check_violation';
    end $$;
    create trigger session_tools_immutable before update on session_tools
      for each row execute function refuse_session_tool_change();

    -- A null session is the current catalog. A running session counts with what it froze, and with its entry's
    -- current state.
    create view admin_only_scopes as
      select entry.workspace_id, gate.scope, null::uuid as session_id, entry.name as server, gate.tool
      from mcp_servers entry
      join mcp_server_tools gate on gate.mcp_server_id = entry.id
      where entry.approvers = 'admin'
      union all
      select sessions.workspace_id, gate.scope, gate.session_id, gate.server, gate.tool
      from session_tools gate
      join sessions on sessions.id = gate.session_id
      where sessions.ended_at is null and (gate.admin_only or exists (
        select from mcp_servers entry where entry.id = gate.entry_id and entry.approvers = 'admin'
      ));

    create table session_events (
      id uuid primary key,
      session_id uuid not null references sessions on delete cascade,
      seq integer not null,
      type text not null,
      at timestamptz not null default now(),
      actor_type text not null check (actor_type in ('user', 'agent', 'system')),
      actor_id uuid,
      payload jsonb not null,
      unique (session_id, seq)
    );

    -- What the agent reads from GET /input, in order. delivered_at: acknowledged by the sidecar.
    create table session_inputs (
      id uuid primary key,
      session_id uuid not null references sessions on delete cascade,
      seq integer not null,
      kind text not null check (kind in
        ('user_message', 'permission_decision', 'input_answer', 'session_message', 'child_ended')),
      text text not null,
      decision jsonb,
      input_request_id uuid,
      at timestamptz not null default now(),
      delivered_at timestamptz,
      -- The session that a message comes from, as its agent reads it: { relation, session_id, agent: { id, name } }.
      sender jsonb,
      unique (session_id, seq),
      constraint session_inputs_sender
        check ((sender is null) = (kind in ('user_message', 'permission_decision', 'input_answer')))
    );

    create table input_requests (
      id uuid primary key,
      session_id uuid not null references sessions on delete cascade,
      prompt text not null,
      options jsonb not null default '[]',
      created_at timestamptz not null default now(),
      answered_at timestamptz
    );
    create index input_requests_by_session on input_requests (session_id);
  `);
}
