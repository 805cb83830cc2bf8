import type { Knex } from 'knex';

/** Passkeys of people, the challenges that they answer, and what asks for them. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table passkeys (
      id uuid primary key,
      user_id uuid not null references users on delete cascade,
      name text not null,
      -- As browsers name it, in base64url.
      credential_id text not null unique,
      public_key bytea not null,
      -- How often its authenticator says that it signed; 0 for one that does not count.
      sign_count bigint not null,
      transports text[] not null,
      -- The address of the platform where it was registered: its answers come from there.
      origin text not null,
      created_at timestamptz not null default now(),
      last_used_at timestamptz
    );
    create index passkeys_by_user on passkeys (user_id);

    -- Each is answered once, in time. Of an approval: the id is that of the grant to be, and what is signed is
    -- computed from the grant, not kept here.
    create table passkey_challenges (
      id uuid primary key,
      user_id uuid not null references users on delete cascade,
      purpose text not null check (purpose in ('register', 'approve')),
      created_at timestamptz not null default now(),
      expires_at timestamptz not null
    );
    create index passkey_challenges_by_user on passkey_challenges (user_id, expires_at);

    -- Its scopes, or all grants, have to be approved with a passkey.
    alter table mcp_servers add column require_passkey boolean not null default false;
    alter table workspaces add column require_passkey boolean not null default false;

    -- When the person proved who they are as it began; null: their provider may have asked for nothing.
    alter table sign_ins add column proven_at timestamptz;
  `);
}
