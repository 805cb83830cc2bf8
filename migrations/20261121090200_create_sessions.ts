import type { Knex } from 'knex';

/** Sessions with their frozen configuration, events, inputs and artifacts. */
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
      status text not null default 'pending' check (status in
        ('pending', 'validating', 'awaiting_authorization', 'starting', 'running', 'completed', 'failed', 'terminated')),
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
      unique (workspace_id, id),
      foreign key (workspace_id, agent_id) references agents (workspace_id, id) on delete cascade,
      foreign key (workspace_id, parent_session_id) references sessions (workspace_id, id) on delete cascade,
      check ((status in ('completed', 'failed', 'terminated')) = (ended_at is not null))
    );
    create index sessions_by_workspace on sessions (workspace_id, created_at desc, id desc);
    create index sessions_by_parent on sessions (parent_session_id);
    create index sessions_by_agent on sessions (agent_id);

    create function refuse_leaving_terminal_status() returns trigger language plpgsql as $$
    begin
      if old.status in ('completed', 'failed', 'terminated') and new.status <> old.status then
        raise exception 'session % already ended as %', old.id, old.status using errcode = 'check_violation';
      end if;
      return new;
    end $$;
    create trigger sessions_terminal before update of status on sessions
      for each row execute function refuse_leaving_terminal_status();

    create table session_configurations (
      session_id uuid primary key references sessions on delete cascade,
      configuration jsonb not null,
      frozen_at timestamptz not null default now()
    );

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
      kind text not null check (kind in ('user_message', 'permission_decision', 'input_answer')),
      text text not null,
      decision jsonb,
      input_request_id uuid,
      at timestamptz not null default now(),
      delivered_at timestamptz,
      unique (session_id, seq)
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

    create table artifacts (
      id uuid primary key,
      session_id uuid not null references sessions on delete cascade,
      name text not null,
      mime_type text not null,
      description text,
      size_bytes integer not null,
      sha256 text not null,
      content bytea not null,
      created_at timestamptz not null default now()
    );
    create index artifacts_by_session on artifacts (session_id, created_at desc, id desc);

    create table shares (
      id uuid primary key,
      session_id uuid not null references sessions on delete cascade,
      artifact_id uuid references artifacts on delete cascade,
      text text,
      title text not null,
      audience text not null check (audience in ('workspace')),
      expires_at timestamptz,
      created_at timestamptz not null default now(),
      check ((artifact_id is null) <> (text is null))
    );
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table shares, artifacts, input_requests, session_inputs, session_events, session_configurations, sessions;
    drop function refuse_leaving_terminal_status;
  `);
}
