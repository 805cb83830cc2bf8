/** As `tables.ts`: the tables of the workspaces' collections of vectors. */
import type { Embedder } from '../contract/vectors.ts';

declare module 'knex/types/tables.js' {
  interface Tables {
    vector_totals: {
      workspace_id: string;
      collections: number;
      items: number;
    };
    vector_collections: {
      workspace_id: string;
      id: string;
      name: string;
      dimensions: number;
      embedder: Embedder['name'];
      model: string | null;
      items: number;
      is_indexed: boolean;
      created_at: string;
      created_by_session: string;
    };
    vector_items: {
      workspace_id: string;
      collection_id: string;
      id: string;
      embedding: Buffer;
      indexed_embedding: number[] | null;
      metadata: unknown;
      created_at: string;
      updated_at: string;
      created_by_session: string;
      updated_by_session: string;
    };
    embedding_providers: {
      workspace_id: string;
      base_url: string;
      model: string;
      dimensions: number | null;
      api_key: string | null;
      updated_at: string;
      updated_by: string | null;
    };
  }
}
