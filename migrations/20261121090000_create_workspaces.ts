import type { Knex } from 'knex';

/** Tenants, people, sign-ins and memberships. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table workspaces (
      id uuid primary key default gen_random_uuid(),
      slug text not null unique,
      name text not null,
      log_tool_payloads boolean not null default false,
      allow_runtime_permission_requests boolean not null default true,
      members_grant_persistent boolean not null default false,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now()
    );

    create table users (
      id uuid primary key default gen_random_uuid(),
      issuer text not null,
      subject text not null,
      email text not null,
      name text not null,
      created_at timestamptz not null default now(),
      unique (issuer, subject)
    );

    create table sign_ins (
      id uuid primary key,
      user_id uuid not null references users on delete cascade,
      created_at timestamptz not null default now(),
      expires_at timestamptz not null,
      revoked_at timestamptz
    );

    create table members (
      workspace_id uuid not null references workspaces on delete cascade,
      user_id uuid not null references users on delete cascade,
      role text not null check (role in ('admin', 'member')),
      added_at timestamptz not null default now(),
      primary key (workspace_id, user_id)
    );
    create index members_by_user on members (user_id);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table members, sign_ins, users, workspaces');
}
