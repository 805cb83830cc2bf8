import type { Knex } from 'knex';

/** What each session's requests to a language model took, by day. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Of requests whose usage was told on that day (UTC), which is when the sums of model_usage grow.
    create table model_usage_days (
      session_id uuid not null references sessions on delete cascade,
      day date not null,
      -- As the session froze it.
      endpoint text not null,
      requests integer not null,
      failed_requests integer not null,
      input_tokens bigint not null,
      cache_creation_input_tokens bigint not null,
      cache_read_input_tokens bigint not null,
      output_tokens bigint not null,
      primary key (session_id, day)
    );
    -- Lists by day read the days that they show, whichever sessions a workspace ever had.
    create index model_usage_days_by_day on model_usage_days (day, session_id);
  `);
}
