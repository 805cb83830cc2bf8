import type { Knex } from 'knex';

/** How remote servers became usable: registrations, the platform's clients, and people's sign-ins. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- What was discovered of a server's sign-in. A registration outlives its entry until its clients are deleted at
    -- their authorization servers.
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
      -- The entry was in use when this attempt began: one that reaches nobody changes nothing.
      resumes boolean not null default false,
      -- Why the last attempt reached nobody, and changed nothing.
      unreached_reason text,
      check (status <> 'ready' or sign_in is not null),
      check (status <> 'ready' or sign_in <> 'oauth' or sign_in_server is not null)
    );
    create index mcp_registrations_by_workspace on mcp_registrations (workspace_id);
    create index mcp_registrations_unsettled on mcp_registrations (created_at)
      where status = 'pending' or mcp_server_id is null;
    create trigger mcp_registrations_in_open_workspace before insert on mcp_registrations
      for each row execute function refuse_in_closed_workspace();
    create trigger mcp_registrations_begin_in_open_workspace before update of revision on mcp_registrations
      for each row when (new.status = 'pending') execute function refuse_in_closed_workspace();

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
      token_auth_method text not null
        check (token_auth_method in ('client_secret_basic', 'client_secret_post', 'none')),
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
      end_reason text check (end_reason in
        ('disconnected', 'refused', 'replaced', 'left', 'unbound', 'workspace_closed')),
      revoked_at timestamptz,
      -- A sentence, with the server's words. Of a sign-in that has not ended: its server refuses the tokens that it gives.
      refusal text,
      -- Answers to a refresh, in a row, that were no tokens.
      unreadable_refreshes integer not null default 0,
      -- When the server refused it last.
      refused_at timestamptz,
      check ((ended_at is null) = (end_reason is null))
    );
    create unique index oauth_connections_current on oauth_connections (registration_id, user_id) where ended_at is null;
    create index oauth_connections_by_user on oauth_connections (user_id);
    create index oauth_connections_by_workspace on oauth_connections (workspace_id);
    create index oauth_connections_by_client on oauth_connections (oauth_client_id);
    create index oauth_connections_to_revoke on oauth_connections (ended_at)
      where ended_at is not null and revoked_at is null;
    create trigger oauth_connections_in_open_workspace before insert on oauth_connections
      for each row execute function refuse_in_closed_workspace();

    -- Sign-ins that people have to make, each until it is made or nobody waits for it.
    create table oauth_authorizations (
      id uuid primary key default gen_random_uuid(),
      workspace_id uuid not null references workspaces on delete cascade,
      user_id uuid not null references users on delete cascade,
      registration_id uuid not null references mcp_registrations on delete cascade,
      -- That waits for it; null when the person connects without one.
      session_id uuid references sessions on delete cascade,
      scopes text[] not null,
      -- What the server asked for in the middle of a call.
      missing_scopes text[],
      -- How often it asked for more with this one.
      step_ups integer not null default 0,
      status text not null default 'pending' check (status in ('pending', 'connected', 'expired', 'cancelled')),
      -- Why the last try failed.
      problem text,
      created_at timestamptz not null default now(),
      expires_at timestamptz not null,
      -- The try that was begun last, until its answer comes. The state is kept as a hash. Sign-in and client are
      -- only compared: the person begins again when one of them is gone.
      state_hash bytea unique,
      sign_in_id uuid,
      url text,
      resource text,
      issuer text,
      oauth_client_id uuid,
      state_expires_at timestamptz,
      check (num_nulls(state_hash, sign_in_id, url, resource, issuer, oauth_client_id, state_expires_at) in (0, 7)),
      check (state_hash is null or status = 'pending')
    );
    create unique index oauth_authorizations_pending on oauth_authorizations (session_id, registration_id)
      where status = 'pending';
    create unique index oauth_authorizations_pending_alone on oauth_authorizations (user_id, registration_id)
      where status = 'pending' and session_id is null;
    create index oauth_authorizations_by_session on oauth_authorizations (session_id);
    create index oauth_authorizations_by_registration on oauth_authorizations (registration_id);
    create index oauth_authorizations_by_workspace on oauth_authorizations (workspace_id);
    create trigger oauth_authorizations_in_open_workspace before insert on oauth_authorizations
      for each row execute function refuse_in_closed_workspace();

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
      -- The verifier of a try.
      oauth_authorization_id uuid references oauth_authorizations on delete cascade,
      unique (workspace_id, name)
    );
    create index oauth_credentials_by_client on oauth_credentials (oauth_client_id);
    create index oauth_credentials_by_connection on oauth_credentials (oauth_connection_id);
    create index oauth_credentials_by_authorization on oauth_credentials (oauth_authorization_id);
    create index oauth_credentials_by_key on oauth_credentials (key_id);
  `);
}
