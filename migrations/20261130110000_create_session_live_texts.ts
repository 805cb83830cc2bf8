import type { Knex } from 'knex';

/** What the agent of a session has written of a message that it still writes. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Replaced several times a second, and worth nothing after a crash of the database: not in its log.
    create unlogged table session_live_texts (
      session_id uuid primary key references sessions on delete cascade,
      -- Of the event that the message becomes.
      message_id uuid not null,
      -- Without values of secrets.
      text text not null check (length(text) <= 65536),
      -- Told again while the agent is at it: an old one is of a sidecar that died.
      updated_at timestamptz not null default now()
    );
  `);
}
