import type { Knex } from 'knex';

/** That people ask for the patch of a session that runs. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table patch_requests (
      id uuid primary key default gen_random_uuid(),
      session_id uuid not null references sessions on delete cascade,
      requested_by uuid references users on delete set null,
      requested_at timestamptz not null default now(),
      -- When the session's workflow was last signalled about it.
      told_at timestamptz not null default now(),
      -- With a patch, or a sentence in the transcript why there is none.
      answered_at timestamptz
    );
    create unique index open_patch_request_of_session on patch_requests (session_id) where answered_at is null;
    create index patch_requests_by_requester on patch_requests (requested_by);
    create index patch_requests_by_session on patch_requests (session_id, requested_at desc);
  `);
}
