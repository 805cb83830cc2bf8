import type { Knex } from 'knex';

/** The running workers, the processes of sessions, and what their agents ask of language models. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- What each worker detected about its machine. A row is renewed while its worker runs.
    create table workers (
      id uuid primary key,
      capabilities jsonb not null,
      started_at timestamptz not null default now(),
      seen_at timestamptz not null default now()
    );

    -- The state of each process, and the sealed tail of what it wrote to stderr.
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
      -- Captured before a restart of the sidecar: so much at the beginning of what is in sealed_output.
      earlier_output_size_bytes integer not null default 0,
      earlier_written_bytes bigint not null default 0,
      -- Answers of servers that did not pass, by reason.
      faults jsonb not null default '[]',
      primary key (session_id, kind, name),
      check (num_nulls(sealed_output, sealed_data_key, key_id, output_size_bytes, output_written_bytes,
        output_updated_at) in (0, 6))
    );
    create index session_processes_output_updated_at on session_processes (output_updated_at)
      where output_updated_at is not null;

    -- Calls that wait for their server, as the session's sidecar last told.
    create table session_open_calls (
      session_id uuid primary key references sessions (id) on delete cascade,
      sidecar_run uuid not null,
      revision integer not null,
      calls jsonb not null,
      count integer not null
    );

    -- What the requests of a session take together: its limits are decided on this row.
    create table model_usage (
      session_id uuid primary key references sessions on delete cascade,
      requests integer not null default 0,
      failed_requests integer not null default 0,
      input_tokens bigint not null default 0,
      cache_creation_input_tokens bigint not null default 0,
      cache_read_input_tokens bigint not null default 0,
      output_tokens bigint not null default 0,
      -- The output that requests may have whose usage is not known yet.
      reserved_tokens bigint not null default 0,
      -- When a request was refused for the first time because of that limit.
      requests_reached_at timestamptz,
      tokens_reached_at timestamptz,
      check (reserved_tokens >= 0)
    );

    -- Requests that were allowed. Nothing of what was asked or answered.
    create table model_requests (
      session_id uuid not null references sessions on delete cascade,
      id uuid not null,
      max_tokens integer not null,
      allowed_at timestamptz not null default now(),
      -- When its usage was reported; what it took is in the sums.
      reported_at timestamptz,
      primary key (session_id, id)
    );
  `);
}
