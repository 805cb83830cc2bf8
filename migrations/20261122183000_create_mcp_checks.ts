import type { Knex } from 'knex';

/** Checks: tries of catalog entries by admins, each with what its server wrote and listed. They are removed after a retention period. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
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

    create table mcp_check_texts (
      check_id uuid not null references mcp_checks on delete cascade,
      kind text not null check (kind in ('output', 'listing')),
      sealed_value bytea not null,
      sealed_data_key bytea not null,
      key_id text not null,
      size_bytes integer not null,
      written_bytes bigint not null,
      updated_at timestamptz not null default now(),
      primary key (check_id, kind)
    )`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table mcp_check_texts, mcp_checks');
}
