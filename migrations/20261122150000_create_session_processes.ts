/** The state of sessions' processes, and the sealed tail of what each wrote to stderr. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table session_processes (
      session_id uuid not null references sessions (id) on delete cascade,
      kind text not null check (kind in ('agent', 'server', 'sibling')),
      name text not null,
      -- A restarted sidecar counts from zero: what an earlier one counted is kept apart.
      sidecar_run uuid not null,
      revision integer not null,
      earlier_starts integer not null default 0,
      starts integer not null,
      state text not null check (state in ('not_started', 'starting', 'ready', 'failed', 'ended')),
      exit_code integer,
      signal text,
      cause text,
      handshake_ms integer,
      updated_at timestamptz not null default now(),
      sealed_output bytea,
      sealed_data_key bytea,
      key_id text,
      output_size_bytes integer,
      output_written_bytes bigint,
      output_updated_at timestamptz,
      primary key (session_id, kind, name),
      check (num_nulls(sealed_output, sealed_data_key, key_id, output_size_bytes, output_written_bytes,
        output_updated_at) in (0, 6))
    )`);
  await knex.raw(`
    create index session_processes_output_updated_at on session_processes (output_updated_at)
    where output_updated_at is not null`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTable('session_processes');
}
