/** A collection of vectors in groups, as those of texts are. */
import type { Knex } from 'knex';
import type { ToolCaller } from '../../api/platform-tools/tool.ts';
import { unitVector } from '../../contract/vectors.ts';
import { insertCollection, setItemCount } from '../../store/vectors/collections.ts';
import { upsertItems } from '../../store/vectors/items.ts';
import { seededRandom } from '../../test/support/seeded-random.ts';

export interface FilledCollection {
  id: string;
  name: string;
  centres: readonly Float32Array[];
}

const groups = 1000;
const itemsPerWrite = 500;
const { below } = seededRandom(48);

/** Roughly normal: a sum of uniform numbers. */
const normal = () => (below(1000) + below(1000) + below(1000) + below(1000)) / 1000 - 2;

function unit(numbers: Float32Array): Float32Array {
  const read = unitVector(numbers);
  return 'vector' in read ? read.vector : numbers;
}

const around = (centre: Float32Array): Float32Array =>
  unit(centre.map((number) => number + (1.2 * normal()) / Math.sqrt(centre.length)));

/** A vector to search for: near one of the groups. */
export const vectorNear = ({ centres }: FilledCollection, at: number): number[] => [
  ...around(centres[(at * 7919) % groups] ?? new Float32Array()),
];

/** Every tenth item has the same property `group`. */
export async function fillCollection(
  db: Knex,
  { id: sessionId, workspace_id: workspaceId }: ToolCaller,
  { items, dimensions }: { items: number; dimensions: number },
): Promise<FilledCollection> {
  const centres = Array.from({ length: groups }, () =>
    unit(Float32Array.from({ length: dimensions }, () => normal())),
  );
  const name = `of ${dimensions}`;
  const embedder = { name: 'given', model: null } as const;
  const collection = await db.transaction((trx) =>
    insertCollection(trx, { workspaceId, sessionId, name, dimensions, embedder }),
  );
  for (let from = 0; from < items; from += itemsPerWrite) {
    const written = Array.from({ length: Math.min(itemsPerWrite, items - from) }, (_, at) => ({
      id: `item-${from + at}`,
      vector: around(centres[below(groups)] ?? new Float32Array()),
      metadata: { group: (from + at) % 10, note: 'x'.repeat((from + at) % 100) },
    }));
    await db.transaction((trx) => upsertItems(trx, { workspaceId, sessionId }, collection, written));
  }
  await db.transaction((trx) => setItemCount(trx, workspaceId, { id: collection.id, items }));
  await db.raw('vacuum analyze vector_items');
  return { id: collection.id, name, centres };
}
