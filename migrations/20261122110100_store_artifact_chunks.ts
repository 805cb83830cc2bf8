import type { Knex } from 'knex';

/**
 * The bytes of artifacts in chunks, each written by a short statement while they arrive. An existing artifact
 * keeps its bytes in `content`.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table artifact_contents (
      id uuid primary key,
      session_id uuid not null references sessions on delete cascade,
      size_bytes integer not null default 0,
      -- When the last chunk arrived: what stays unfinished for long was abandoned.
      touched_at timestamptz not null default now(),
      completed_at timestamptz
    );
    create index artifact_contents_by_session on artifact_contents (session_id);
    create index artifact_contents_unfinished on artifact_contents (touched_at) where completed_at is null;

    create table artifact_chunks (
      content_id uuid not null references artifact_contents on delete cascade,
      position integer not null,
      bytes bytea not null,
      primary key (content_id, position)
    );
    -- Most of what is handed out is compressed already, and whole chunks are read.
    alter table artifact_chunks alter column bytes set storage external;

    alter table artifacts
      alter column content drop not null,
      add column content_id uuid unique references artifact_contents on delete cascade,
      add constraint artifacts_one_content check ((content is null) <> (content_id is null));
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    delete from artifacts where content is null;
    alter table artifacts drop constraint artifacts_one_content, drop column content_id, alter column content set not null;
    drop table artifact_chunks, artifact_contents;
  `);
}
