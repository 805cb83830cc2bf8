import type { Knex } from 'knex';

/** Collections of vectors of each workspace, which the sessions of its agents read and write through tools of the platform. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- What quotas count. Its row is locked by whoever writes to a collection of the workspace.
    create table vector_totals (
      workspace_id uuid primary key references workspaces on delete cascade,
      collections bigint not null default 0,
      items bigint not null default 0
    );

    -- Names and ids are compared and ordered by their bytes, whatever the locale of the database.
    create table vector_collections (
      workspace_id uuid not null references workspaces on delete cascade,
      id uuid not null default gen_random_uuid(),
      name text collate "C" not null,
      dimensions integer not null,
      embedder text not null,
      model text,
      items bigint not null default 0,
      -- Its items have their vector in both forms, since an index is built of one of them, or there.
      is_indexed boolean not null default false,
      created_at timestamptz not null default now(),
      -- A fact, which outlives the session.
      created_by_session uuid not null,
      primary key (workspace_id, id),
      unique (workspace_id, name),
      check (dimensions between 1 and 4096),
      check ((embedder = 'provider') = (model is not null)),
      check (embedder in ('given', 'local-hashed-ngrams', 'provider'))
    );

    create table vector_items (
      workspace_id uuid not null,
      collection_id uuid not null,
      id text collate "C" not null,
      -- Of length 1, as little-endian 32-bit floats.
      embedding bytea not null,
      -- The same numbers, for an index of the extension vector.
      indexed_embedding real[],
      metadata jsonb not null,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      created_by_session uuid not null,
      updated_by_session uuid not null,
      primary key (workspace_id, collection_id, id),
      foreign key (workspace_id, collection_id) references vector_collections (workspace_id, id) on delete cascade,
      check (jsonb_typeof(metadata) = 'object')
    );
    -- Floats do not compress: reading them is faster when nothing tried to.
    alter table vector_items
      alter column embedding set storage external,
      alter column indexed_embedding set storage external;
    create index vector_items_by_metadata on vector_items using gin (metadata jsonb_path_ops);

    create table embedding_providers (
      workspace_id uuid primary key references workspaces on delete cascade,
      base_url text not null,
      model text not null,
      dimensions integer,
      api_key text,
      updated_at timestamptz not null default now(),
      updated_by uuid references users on delete set null
    )`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table embedding_providers, vector_items, vector_collections, vector_totals');
}
