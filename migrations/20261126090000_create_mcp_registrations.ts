import type { Knex } from 'knex';

/**
 * How remote servers became usable: what was discovered of their sign-in, and the platform's clients at their authorization servers. A
 * registration outlives its entry until its clients are deleted there.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table mcp_registrations (
      id uuid primary key default gen_random_uuid(),
      workspace_id uuid not null references workspaces on delete cascade,
      -- Null once the entry is removed.
      mcp_server_id uuid unique references mcp_servers on delete set null,
      entry_name text not null,
      shape jsonb not null,
      redirect_uri text not null,
      -- Where the platform serves its Client ID Metadata Document; null when it serves none.
      client_metadata_url text,
      -- Counts what an admin changed or asked for: an outcome of an earlier one is dropped.
      revision integer not null default 1,
      status text not null default 'pending' check (status in ('pending', 'ready', 'failed')),
      reason text check ((reason is not null) = (status = 'failed')),
      sign_in text check (sign_in in ('none', 'headers', 'oauth')),
      -- What people sign in with, once it was accepted.
      sign_in_server jsonb,
      -- What discovery found and differs from that.
      found_server jsonb,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      check (status <> 'ready' or sign_in is not null),
      check (status <> 'ready' or sign_in <> 'oauth' or sign_in_server is not null)
    );
    create index mcp_registrations_by_workspace on mcp_registrations (workspace_id);
    create index mcp_registrations_unsettled on mcp_registrations (created_at)
      where status = 'pending' or mcp_server_id is null;

    create table oauth_clients (
      id uuid primary key default gen_random_uuid(),
      workspace_id uuid not null references workspaces on delete cascade,
      registration_id uuid not null references mcp_registrations on delete cascade,
      -- Its credentials go to no other authorization server.
      issuer text not null,
      -- As it was when the client was made there: where tokens are revoked, whatever the entry says by then.
      authorization_server jsonb not null,
      kind text not null check (kind in ('pre_registered', 'metadata_document', 'registered')),
      client_id text not null,
      token_auth_method text not null check (token_auth_method in ('client_secret_basic', 'client_secret_post', 'none')),
      redirect_uri text not null,
      secret_expires_at timestamptz,
      refreshes_tokens boolean not null,
      -- Where it can be deleted (RFC 7592).
      management_url text,
      created_at timestamptz not null default now(),
      -- Replaced by another, or no longer wanted: to be deleted at its server.
      retired_at timestamptz
    );
    create unique index oauth_clients_current on oauth_clients (registration_id) where retired_at is null;
    create index oauth_clients_by_registration on oauth_clients (registration_id);
    create index oauth_clients_by_workspace on oauth_clients (workspace_id);

    -- People's own sign-ins: each is bound to what it was made with, and is of no use for anything else.
    create table oauth_connections (
      id uuid primary key default gen_random_uuid(),
      workspace_id uuid not null references workspaces on delete cascade,
      user_id uuid not null references users on delete cascade,
      registration_id uuid not null references mcp_registrations on delete cascade,
      -- With another of these, the person signs in again.
      url text not null,
      resource text not null,
      issuer text not null,
      oauth_client_id uuid not null references oauth_clients on delete cascade,
      requested_scopes text[] not null,
      -- Null when the server did not say, which means all that was requested.
      granted_scopes text[],
      -- Counts its access tokens.
      generation integer not null default 1,
      expires_at timestamptz,
      -- Until then one process refreshes it, and no other.
      refreshing_until timestamptz,
      created_at timestamptz not null default now(),
      refreshed_at timestamptz not null default now(),
      used_at timestamptz,
      -- Of no use any more: its tokens are revoked at the server, and then erased.
      ended_at timestamptz,
      end_reason text check (end_reason in ('disconnected', 'refused', 'replaced', 'left', 'unbound')),
      revoked_at timestamptz,
      check ((ended_at is null) = (end_reason is null))
    );
    create unique index oauth_connections_current on oauth_connections (registration_id, user_id) where ended_at is null;
    create index oauth_connections_by_user on oauth_connections (user_id);
    create index oauth_connections_by_workspace on oauth_connections (workspace_id);
    create index oauth_connections_by_client on oauth_connections (oauth_client_id);
    create index oauth_connections_to_revoke on oauth_connections (ended_at)
      where ended_at is not null and revoked_at is null;

    -- Sealed like workspace secrets, each bound to its workspace and name.
    create table oauth_credentials (
      id uuid primary key default gen_random_uuid(),
      workspace_id uuid not null references workspaces on delete cascade,
      oauth_client_id uuid references oauth_clients on delete cascade,
      oauth_connection_id uuid references oauth_connections on delete cascade,
      name text not null,
      sealed_value bytea not null,
      sealed_data_key bytea not null,
      key_id text not null,
      unique (workspace_id, name)
    );
    create index oauth_credentials_by_client on oauth_credentials (oauth_client_id);
    create index oauth_credentials_by_connection on oauth_credentials (oauth_connection_id);
    create index oauth_credentials_by_key on oauth_credentials (key_id)`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table oauth_credentials, oauth_connections, oauth_clients, mcp_registrations');
}
