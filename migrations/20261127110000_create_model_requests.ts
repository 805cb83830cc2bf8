import type { Knex } from 'knex';

/** Access of agents to language models, and what each session has asked for and used. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table agents add column model_access jsonb;

    alter table grants add constraint grants_model_key_agent_only
      check (grant_type <> 'model_key' or user_subject_id is null) not valid;

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
    )`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table model_requests, model_usage;
    delete from grants where grant_type = 'model_key';
    alter table grants drop constraint grants_model_key_agent_only;
    alter table agents drop column model_access`);
}
