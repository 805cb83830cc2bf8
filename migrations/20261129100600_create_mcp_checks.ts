import type { Knex } from 'knex';

/**
 * Checks of catalog entries, and what the tools of each entry say of themselves: accepted definitions, and
 * those that wait for an admin.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Tries of catalog entries by admins, each with what its server wrote and listed. They are removed after a
    -- retention period.
    create table mcp_checks (
      id uuid primary key default gen_random_uuid(),
      workspace_id uuid not null references workspaces on delete cascade,
      mcp_server_id uuid not null,
      entry_version integer not null,
      -- Plain values and bare references as they were entered; never a secret's value.
      env jsonb not null,
      configuration jsonb,
      started_by uuid not null references users on delete cascade,
      idempotency_key text,
      status text not null default 'pending'
        check (status in ('pending', 'starting', 'running', 'completed', 'failed', 'cancelled')),
      reason text,
      cancel_requested_at timestamptz,
      created_at timestamptz not null default now(),
      started_at timestamptz,
      ended_at timestamptz,
      -- The last that the sidecar reported of the server's process.
      sidecar_run uuid,
      revision integer,
      process jsonb,
      foreign key (workspace_id, mcp_server_id) references mcp_servers (workspace_id, id) on delete cascade,
      check ((ended_at is null) = (status in ('pending', 'starting', 'running')))
    );
    create unique index mcp_checks_idempotency_key on mcp_checks (workspace_id, started_by, idempotency_key)
      where idempotency_key is not null;
    create index mcp_checks_by_server on mcp_checks (mcp_server_id);
    create index mcp_checks_by_starter on mcp_checks (started_by);
    create index mcp_checks_unfinished on mcp_checks (workspace_id) where ended_at is null;
    create index mcp_checks_ended_at on mcp_checks (ended_at) where ended_at is not null;
    create trigger mcp_checks_in_open_workspace before insert on mcp_checks
      for each row execute function refuse_in_closed_workspace();

    create table mcp_check_texts (
      check_id uuid not null references mcp_checks on delete cascade,
      -- An unredacted listing is a kind of its own, so that it is never mistaken for one that may be shown.
      kind text not null check (kind in ('output', 'raw_listing', 'listing')),
      sealed_value bytea not null,
      sealed_data_key bytea not null,
      key_id text not null,
      size_bytes integer not null,
      written_bytes bigint not null,
      updated_at timestamptz not null default now(),
      primary key (check_id, kind)
    );

    -- A version of an entry whose first definitions are accepted; later ones wait.
    create table pinned_tool_lists (
      workspace_id uuid not null,
      mcp_server_id uuid not null,
      version integer not null,
      source text not null check (source in ('check', 'session', 'earlier_version')),
      pinned_by uuid references users on delete set null,
      pinned_at timestamptz not null default now(),
      primary key (mcp_server_id, version),
      foreign key (workspace_id, mcp_server_id) references mcp_servers (workspace_id, id) on delete cascade
    );

    create table tool_definitions (
      id uuid primary key default gen_random_uuid(),
      workspace_id uuid not null,
      mcp_server_id uuid not null,
      version integer not null,
      part text not null check (part in ('tool', 'instructions')),
      -- Empty for instructions.
      tool text not null check ((tool = '') = (part = 'instructions')),
      digest text not null,
      text text not null,
      is_cut boolean not null,
      seen_at timestamptz not null default now(),
      session_id uuid references sessions on delete set null,
      accepted_at timestamptz,
      accepted_by uuid references users on delete set null,
      unique (mcp_server_id, version, part, tool, digest),
      foreign key (workspace_id, mcp_server_id) references mcp_servers (workspace_id, id) on delete cascade
    );
    -- What a session's agent was shown that nobody had accepted; its sidecar forgets that when it restarts.
    create table session_tool_differences (
      session_id uuid not null references sessions on delete cascade,
      tool_definition_id uuid not null references tool_definitions on delete cascade,
      primary key (session_id, tool_definition_id)
    );
    create index session_tool_differences_by_definition on session_tool_differences (tool_definition_id);
    create index tool_definitions_waiting on tool_definitions (workspace_id, mcp_server_id, version)
      where accepted_at is null;
    create index tool_definitions_by_session on tool_definitions (session_id) where session_id is not null;
    create index tool_definitions_by_accepter on tool_definitions (accepted_by) where accepted_by is not null;
    create index pinned_tool_lists_by_user on pinned_tool_lists (pinned_by) where pinned_by is not null;
  `);
}
