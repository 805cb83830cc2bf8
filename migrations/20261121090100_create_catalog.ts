import type { Knex } from 'knex';

/** Secrets, MCP catalog entries, agents and attachments. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table workspace_secrets (
      id uuid primary key default gen_random_uuid(),
      workspace_id uuid not null references workspaces on delete cascade,
      name text not null check (name ~ '^[A-Z_][A-Z0-9_]{0,63}$'),
      -- AES-256-GCM: nonce, tag and ciphertext; the data key is sealed the same way by the master key of key_id.
      sealed_value bytea,
      sealed_data_key bytea,
      key_id text,
      is_set boolean generated always as (sealed_value is not null) stored,
      -- Counts up with every set, replace and clear; a session refuses a secret that changed since its freeze.
      version integer not null default 0,
      allowed_servers text[],
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      updated_by uuid references users on delete set null,
      unique (workspace_id, name),
      check ((sealed_value is null) = (sealed_data_key is null) and (sealed_value is null) = (key_id is null))
    );

    create table mcp_servers (
      id uuid primary key default gen_random_uuid(),
      workspace_id uuid not null references workspaces on delete cascade,
      name text not null check (name ~ '^[a-z0-9]([a-z0-9-]{0,30}[a-z0-9]){0,1}$' and name <> 'platform'),
      shape jsonb not null,
      manifest jsonb not null,
      manifest_source text not null check (manifest_source in ('image', 'pasted', 'none')),
      version integer not null default 1,
      image_digest text,
      network text not null check (network in ('none', 'internet')),
      egress_allow jsonb not null default '[]',
      approvers text not null default 'operator' check (approvers in ('operator', 'admin')),
      created_at timestamptz not null default now(),
      created_by uuid references users on delete set null,
      updated_at timestamptz not null default now(),
      updated_by uuid references users on delete set null,
      unique (workspace_id, name),
      unique (workspace_id, id)
    );

    create table agents (
      id uuid primary key default gen_random_uuid(),
      workspace_id uuid not null references workspaces on delete cascade,
      owner_id uuid references users on delete set null,
      name text not null,
      kind text not null check (kind in ('worker', 'orchestrator')),
      run jsonb not null,
      instructions text not null,
      model text,
      env jsonb not null default '{}',
      siblings jsonb not null default '[]',
      services jsonb not null default '[]',
      network text not null check (network in ('none', 'internet')),
      egress_allow jsonb not null default '[]',
      limits jsonb not null,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      unique (workspace_id, name),
      unique (workspace_id, id)
    );

    create table agent_mcp_attachments (
      workspace_id uuid not null,
      agent_id uuid not null,
      mcp_server_id uuid not null,
      -- Plain values and bare references as they were entered; never a secret's value.
      env jsonb not null,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      primary key (agent_id, mcp_server_id),
      foreign key (workspace_id, agent_id) references agents (workspace_id, id) on delete cascade,
      -- No cascade: an entry in use is not removed (409 in_use).
      foreign key (workspace_id, mcp_server_id) references mcp_servers (workspace_id, id)
    );
    create index agent_mcp_attachments_by_server on agent_mcp_attachments (mcp_server_id);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table agent_mcp_attachments, agents, mcp_servers, workspace_secrets');
}
