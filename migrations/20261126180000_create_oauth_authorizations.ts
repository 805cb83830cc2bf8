import type { Knex } from 'knex';

/** Sign-ins at remote servers that people have to make, each until it is made or nobody waits for it. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
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
      -- The try that was begun last, until its answer comes. The state is kept as a hash. Sign-in and client are only compared: the person
      -- begins again when one of them is gone.
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

    -- The verifier of a try.
    alter table oauth_credentials add column oauth_authorization_id uuid references oauth_authorizations on delete cascade;
    create index oauth_credentials_by_authorization on oauth_credentials (oauth_authorization_id)`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table oauth_credentials drop column oauth_authorization_id;
    drop table oauth_authorizations`);
}
