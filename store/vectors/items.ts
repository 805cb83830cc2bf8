/**
 * Writing and deleting the items of a collection. Each statement takes a transaction that locked the
 * workspace's collections.
 */
import * as z from 'zod';
import type { Conditions } from '../../contract/stored-data.ts';
import { vectorToBytes } from '../../contract/vectors.ts';
import type { Transaction } from '../database.ts';
import { onlyRow, readRows } from '../read-rows.ts';
import type { StoredCollection } from './collections.ts';

export interface NewItem {
  id: string;
  /** Of length 1. */
  vector: Float32Array;
  metadata: Readonly<Record<string, unknown>>;
}

export interface VectorWriter {
  workspaceId: string;
  sessionId: string;
}

const upsertStatement = `
  with given as (
    select * from jsonb_to_recordset(cast(:items as jsonb))
      as item(id text, embedding text, numbers real[], metadata jsonb)
  ), existing as (
    select item.id from given join vector_items item
      on item.workspace_id = :workspaceId and item.collection_id = :collectionId and item.id = given.id
  ), written as (
    insert into vector_items (workspace_id, collection_id, id, embedding, indexed_embedding, metadata,
      created_by_session, updated_by_session)
    select cast(:workspaceId as uuid), cast(:collectionId as uuid), id, decode(embedding, 'base64'), numbers, metadata,
      cast(:sessionId as uuid), cast(:sessionId as uuid)
    from given
    on conflict (workspace_id, collection_id, id) do update set embedding = excluded.embedding,
      indexed_embedding = excluded.indexed_embedding, metadata = excluded.metadata,
      updated_at = now(), updated_by_session = excluded.updated_by_session
    returning id
  )
  select cast((select count(*) from written) - (select count(*) from existing) as integer) as created`;

/**
 * Writes items by id, each of which is given once; what they had is replaced. Returns how
 * many were not there before.
 */
export async function upsertItems(
  trx: Transaction,
  { workspaceId, sessionId }: VectorWriter,
  { id: collectionId, isIndexed }: Pick<StoredCollection, 'id' | 'isIndexed'>,
  items: readonly NewItem[],
): Promise<number> {
  const rows = items.map(({ id, vector, metadata }) => ({
    ...{ id, embedding: vectorToBytes(vector).toString('base64'), metadata },
    numbers: isIndexed ? [...vector] : null,
  }));
  const values = { items: JSON.stringify(rows), workspaceId, sessionId, collectionId };
  const statement = trx.raw(upsertStatement, values);
  return onlyRow(await readRows(statement, z.object({ created: z.int() }))).created;
}

export type ItemSelection = { ids: readonly string[] } | { filter: Conditions };

/** Deletes the items with these ids, or those that meet all conditions. Returns how many there were. */
export async function deleteItems(
  trx: Transaction,
  workspaceId: string,
  collectionId: string,
  selection: ItemSelection,
): Promise<number> {
  const items = trx('vector_items').where({ workspace_id: workspaceId, collection_id: collectionId });
  return 'ids' in selection
    ? items.whereIn('id', [...selection.ids]).delete()
    : items.whereRaw('metadata @> cast(? as jsonb)', [JSON.stringify(selection.filter)]).delete();
}
