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
      -- What the server may request of the agent: nothing, unless an admin allows it.
      client_features text[] not null default '{}'
        check (client_features <@ array['elicitation', 'roots', 'sampling']),
      -- What the image runs (its entrypoint and command) and declares as volumes, read together with its digest.
      image_command jsonb,
      image_volumes jsonb,
      changed_tools text not null default 'tell' check (changed_tools in ('tell', 'refuse')),
      unlisted_tools text not null default 'allow' check (unlisted_tools in ('allow', 'refuse')),
      listed_tools text[] not null default '{}',
      start_seconds integer check (start_seconds > 0),
      -- By what names are compared; store/shown-names.ts writes them.
      name_caseless text not null,
      name_seen text not null,
      unique (workspace_id, name),
      unique (workspace_id, id)
    );
    create unique index mcp_servers_by_name_caseless on mcp_servers (workspace_id, name_caseless);
    create unique index mcp_servers_by_name_seen on mcp_servers (workspace_id, name_seen);
    -- Asked for each call on a member's grant.
    create index mcp_servers_kept_to_admins on mcp_servers (workspace_id) where approvers = 'admin';

    -- The gated tools of an entry as rows, which follow its manifest.
    create table mcp_server_tools (
      workspace_id uuid not null,
      mcp_server_id uuid not null,
      tool text not null,
      scope text not null,
      primary key (mcp_server_id, tool),
      foreign key (workspace_id, mcp_server_id) references mcp_servers (workspace_id, id) on delete cascade
    );
    create index mcp_server_tools_by_scope on mcp_server_tools (workspace_id, scope);

    create function write_mcp_server_tools() returns trigger language plpgsql as $$
    begin
      delete from mcp_server_tools where mcp_server_id = new.id;
      insert into mcp_server_tools (workspace_id, mcp_server_id, tool, scope)
      select new.workspace_id, new.id, gate.key, gate.value
      from jsonb_each_text(new.manifest -> 'tool_scopes') as gate;
      return null;
    end $$;
    create trigger mcp_servers_write_tools after insert or update of manifest on mcp_servers
      for each row execute function write_mcp_server_tools();

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
      model_access jsonb,
      -- By what names are compared, as of mcp_servers.
      name_caseless text not null,
      name_seen text not null,
      -- Put away, with all that it did.
      archived_at timestamptz,
      unique (workspace_id, name),
      unique (workspace_id, id)
    );
    create unique index agents_by_name_caseless on agents (workspace_id, name_caseless);
    create unique index agents_by_name_seen on agents (workspace_id, name_seen);

    create table agent_mcp_attachments (
      -- Attachments go with their workspace directly: by way of their agent they would go too late, since the
      -- check that no attachment uses a deleted entry comes first.
      workspace_id uuid not null references workspaces on delete cascade,
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
