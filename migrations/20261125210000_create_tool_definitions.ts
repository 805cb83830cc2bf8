import type { Knex } from 'knex';

/** What the tools of each entry say of themselves: the accepted definitions, and those that wait for an admin. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table mcp_servers
      add column changed_tools text not null default 'tell' check (changed_tools in ('tell', 'refuse')),
      add column unlisted_tools text not null default 'allow' check (unlisted_tools in ('allow', 'refuse')),
      add column listed_tools text[] not null default '{}';

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
    create index pinned_tool_lists_by_user on pinned_tool_lists (pinned_by) where pinned_by is not null`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table session_tool_differences, tool_definitions, pinned_tool_lists;
    alter table mcp_servers drop column changed_tools, drop column unlisted_tools, drop column listed_tools`);
}
