import type { Knex } from 'knex';

/** Repositories that admins register, and the one that an agent's sessions get. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table repositories (
      id uuid primary key default gen_random_uuid(),
      workspace_id uuid not null references workspaces on delete cascade,
      name text not null check (name ~ '^[a-z0-9]([a-z0-9-]{0,30}[a-z0-9]){0,1}$'),
      host text not null,
      -- With * in the place of a name between slashes.
      path text not null,
      -- A bare reference; never a secret's value.
      credential text,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      updated_by uuid references users on delete set null,
      unique (workspace_id, name)
    );

    alter table agents add column repository jsonb;
  `);
}
