import type { Knex } from 'knex';

/** Static files that agents hand out as previews, and the addresses at which people have them open. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table previews (
      id uuid primary key default gen_random_uuid(),
      workspace_id uuid not null,
      session_id uuid not null,
      -- The agent's call: sent again, it is answered with the same preview.
      call_id uuid not null,
      title text,
      audience text not null check (audience in ('workspace', 'session')),
      files integer not null,
      size_bytes bigint not null,
      created_at timestamptz not null default now(),
      expires_at timestamptz not null,
      -- Its files are erased then.
      ended_at timestamptz,
      unique (session_id, call_id),
      foreign key (workspace_id, session_id) references sessions (workspace_id, id) on delete cascade
    );
    create index previews_not_ended on previews (workspace_id, created_at desc, id desc) where ended_at is null;
    create index previews_to_end on previews (expires_at) where ended_at is null;

    create table preview_files (
      preview_id uuid not null references previews on delete cascade,
      path text collate "C" not null,
      bytes bytea not null,
      primary key (preview_id, path)
    );

    -- One for each time that somebody opened a preview, known by the hash of its random label.
    create table preview_openings (
      label_sha256 bytea primary key,
      preview_id uuid not null references previews on delete cascade,
      sign_in_id uuid not null references sign_ins on delete cascade,
      expires_at timestamptz not null
    );
    create index preview_openings_by_preview on preview_openings (preview_id);
    create index preview_openings_by_sign_in on preview_openings (sign_in_id, expires_at);
    create index preview_openings_by_expiry on preview_openings (expires_at)`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table preview_openings, preview_files, previews');
}
