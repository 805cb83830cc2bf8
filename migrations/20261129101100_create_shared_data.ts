import type { Knex } from 'knex';

/**
 * Each workspace's graph and collections of vectors, which the sessions of its agents read and write
 * through tools of the platform.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    do $$ begin
      create extension if not exists pg_trgm;
    exception when others then
      raise exception 'The search in graphs needs the extension pg_trgm, which could not be created (%). Install the contrib modules of Postgres, or have an administrator of this database run "create extension pg_trgm", then migrate again.', sqlerrm;
    end $$;

    -- What quotas count of a graph. Its row is locked by whoever writes to the graph.
    create table graphs (
      workspace_id uuid primary key references workspaces on delete cascade,
      nodes bigint not null default 0,
      edges bigint not null default 0
    );

    -- Types, keys and relations are compared and ordered by their bytes, whatever the locale of the database.
    create table graph_nodes (
      workspace_id uuid not null references workspaces on delete cascade,
      id uuid not null default gen_random_uuid(),
      type text collate "C" not null,
      key text collate "C" not null,
      properties jsonb not null,
      -- What is searched: the key and the property "name", in lower case.
      folded_key text not null,
      folded_name text,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      -- Facts, which outlive the session.
      created_by_session uuid not null,
      updated_by_session uuid not null,
      primary key (workspace_id, id),
      unique (workspace_id, type, key),
      check (jsonb_typeof(properties) = 'object')
    );
    create index graph_nodes_by_folded_key on graph_nodes (workspace_id, folded_key);
    create index graph_nodes_by_folded_name on graph_nodes (workspace_id, folded_name) where folded_name is not null;
    create index graph_nodes_by_similarity on graph_nodes using gin (folded_key gin_trgm_ops, folded_name gin_trgm_ops);
    create index graph_nodes_by_properties on graph_nodes using gin (properties jsonb_path_ops);

    create table graph_edges (
      workspace_id uuid not null,
      id uuid not null default gen_random_uuid(),
      from_id uuid not null,
      relation text collate "C" not null,
      to_id uuid not null,
      properties jsonb not null,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      created_by_session uuid not null,
      updated_by_session uuid not null,
      primary key (workspace_id, id),
      unique (workspace_id, from_id, relation, to_id),
      foreign key (workspace_id, from_id) references graph_nodes (workspace_id, id) on delete cascade,
      foreign key (workspace_id, to_id) references graph_nodes (workspace_id, id) on delete cascade,
      check (jsonb_typeof(properties) = 'object')
    );
    create index graph_edges_incoming on graph_edges (workspace_id, to_id, relation, from_id);
    create index graph_edges_by_relation on graph_edges (workspace_id, relation);

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
    );
  `);
}
