import type { Knex } from 'knex';

/**
 * What agents hand out: artifacts, shares, and previews with the addresses at which people have them open.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- The bytes of artifacts in chunks, each written by a short statement while they arrive.
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

    create table artifacts (
      id uuid primary key,
      session_id uuid not null references sessions on delete cascade,
      name text not null,
      mime_type text not null,
      description text,
      size_bytes integer not null,
      sha256 text not null,
      created_at timestamptz not null default now(),
      content_id uuid not null unique references artifact_contents on delete cascade
    );
    create index artifacts_by_session on artifacts (session_id, created_at desc, id desc);

    create table shares (
      id uuid primary key,
      session_id uuid not null references sessions on delete cascade,
      artifact_id uuid references artifacts on delete cascade,
      text text,
      title text not null,
      audience text not null check (audience in ('workspace')),
      expires_at timestamptz,
      created_at timestamptz not null default now(),
      check ((artifact_id is null) <> (text is null))
    );

    -- Static files or a service that agents hand out as previews.
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
      -- The agent's service that it shows in place of files.
      service text,
      unique (session_id, call_id),
      foreign key (workspace_id, session_id) references sessions (workspace_id, id) on delete cascade
    );
    create index previews_not_ended on previews (workspace_id, created_at desc, id desc) where ended_at is null;
    create index previews_to_end on previews (expires_at) where ended_at is null;
    create trigger previews_in_open_workspace before insert on previews
      for each row execute function refuse_in_closed_workspace();

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
    create index preview_openings_by_expiry on preview_openings (expires_at);

    create table preview_services (
      preview_id uuid primary key references previews on delete cascade,
      state text not null default 'pending' check (state in ('pending', 'starting', 'running', 'stopped', 'failed')),
      -- A sentence about an involuntary end.
      reason text,
      -- What its workload runs with, frozen at its start. References of secrets, no values.
      configuration jsonb,
      -- Where its gateway says that it listens, and the same once the worker has compared it with where the workload
      -- really runs.
      reported_url text,
      address text,
      created_at timestamptz not null default now(),
      started_at timestamptz,
      -- Nothing of it runs any more.
      stopped_at timestamptz,
      check ((state in ('stopped', 'failed')) = (stopped_at is not null)),
      check (address is null or state = 'running')
    );
    create index preview_services_to_stop on preview_services (created_at) where stopped_at is null;
    create index preview_services_by_start on preview_services (created_at);
  `);
}
