import * as z from 'zod';
import { upsertVectors } from '../../commands/vectors/items.ts';
import { replaces } from '../../contract/platform-tools.ts';
import {
  type Embedder,
  embedder,
  itemId,
  metadata,
  readVector,
  vectorLimits,
} from '../../contract/vectors.ts';
import { findCollection, type StoredCollection } from '../../store/vectors/collections.ts';
import { defineTool, type ToolCaller, type ToolDependencies, ToolFailure } from './tool.ts';
import { collectionField, embedForTool, exactlyOne, textField, vectorField } from './vector-fields.ts';

const newItem = z
  .strictObject({
    id: itemId.describe('What the item is known by within its collection'),
    vector: vectorField.optional(),
    text: textField.optional(),
    metadata: metadata
      .optional()
      .describe('JSON values by name, 4 KiB at most: what search answers with, such as the text itself'),
  })
  .refine(exactlyOne.check, exactlyOne.message);
type NewItem = z.output<typeof newItem>;

const items = z
  .array(newItem)
  .min(1)
  .max(vectorLimits.itemsPerUpsert)
  .superRefine((given, context) => {
    const refuse = (place: number, message: string) =>
      context.addIssue({ code: 'custom', path: [place], message });
    const repeated = given.findIndex(({ id }, at) => given.findIndex((each) => each.id === id) < at);
    if (repeated !== -1) {
      refuse(repeated, 'has the id of an earlier one; give each item once');
    }
    const other = given.findIndex(({ text }) => (text === undefined) !== (given[0]?.text === undefined));
    if (other !== -1) {
      refuse(other, 'must have a text, or a vector, as the first one has');
    }
    const dimensions = dimensionsOf(given[0]);
    const differing = given.findIndex((each) => dimensionsOf(each) !== dimensions);
    if (other === -1 && differing !== -1) {
      refuse(
        differing,
        `has ${dimensionsOf(given[differing])} dimensions where the first one has ${dimensions}`,
      );
    }
  });

/** Null for a text. */
function dimensionsOf(item: Pick<NewItem, 'vector'> | undefined): number | null {
  const read = item?.vector === undefined ? null : readVector(item.vector);
  return read !== null && 'vector' in read ? read.vector.length : null;
}

export const vectorUpsert = defineTool({
  name: 'vector_upsert',
  title: 'Write items of a collection',
  annotations: replaces,
  description: `Writes up to ${vectorLimits.itemsPerUpsert} items into a collection that all agents of the workspace share. The first items make the collection, and fix for all that follow how many dimensions its vectors have and where they come from: from you ("vector"), or from texts ("text"), which are embedded but not kept: put into the metadata what a search should answer with. An item that exists is replaced as a whole. All are written, or none. list_collections says what a collection takes; without a provider of the workspace, texts are compared by their spelling ("local-hashed-ngrams"), not by their meaning.`,
  input: z.strictObject({ collection: collectionField, items }),
  output: z.strictObject({
    created: z.int().describe('Items that were not there before'),
    updated: z.int(),
    items: z.int().describe('All items of the collection now'),
    dimensions: z.int(),
    embedder,
  }),
  example: {
    input: {
      collection: 'tickets',
      items: [
        { id: 'T-17', text: 'Printer on floor 2 prints blank pages', metadata: { floor: 2, status: 'open' } },
        { id: 'T-18', text: 'VPN drops every hour', metadata: { status: 'closed' } },
      ],
    },
    output: {
      ...{ created: 1, updated: 1, items: 240, dimensions: 512 },
      embedder: { name: 'local-hashed-ngrams', model: null },
    },
  },
  async run({ collection: name, items }, caller, dependencies) {
    const { db, config } = dependencies;
    const { workspace_id: workspaceId, id: sessionId } = caller;
    const found = await findCollection(db, { workspaceId, name });
    const { embedder, vectors } = await vectorsOf(items, found, caller, dependencies);
    const written = items.map(({ id, metadata = {} }, at) => ({
      ...{ id, metadata, vector: vectors[at] ?? new Float32Array() },
    }));
    const upserted = await upsertVectors(
      db,
      { workspaceId, sessionId },
      { collection: name, embedder, items: written },
      {
        collections: config.LIMIT_VECTOR_COLLECTIONS_PER_WORKSPACE,
        items: config.LIMIT_VECTORS_PER_WORKSPACE,
        exactItems: config.LIMIT_VECTORS_SEARCHED_EXACTLY,
      },
    );
    if (upserted.result === 'differs') {
      throw refused(name, upserted.collection, { embedder, dimensions: vectors[0]?.length ?? 0 });
    }
    const { created, items: count, dimensions } = upserted;
    return { created, updated: items.length - created, items: count, dimensions, embedder };
  },
});

const given: Embedder = { name: 'given', model: null };

async function vectorsOf(
  items: readonly NewItem[],
  collection: StoredCollection | null,
  caller: ToolCaller,
  dependencies: ToolDependencies,
): Promise<{ embedder: Embedder; vectors: Float32Array[] }> {
  const texts = items.flatMap(({ text }) => text ?? []);
  if (texts.length > 0) {
    if (collection?.embedder.name === 'given') {
      throw refused(collection.name, collection, null);
    }
    return embedForTool(texts, collection?.embedder ?? null, caller, dependencies);
  }
  const vectors = items.map(({ vector = [] }) => {
    const read = readVector(vector);
    if ('problem' in read) {
      throw new ToolFailure('validation_failed', `items: a vector ${read.problem}`);
    }
    return read.vector;
  });
  return { embedder: given, vectors };
}

type Kind = Pick<StoredCollection, 'dimensions' | 'embedder'>;

/** What a collection holds, and is asked to take; null for texts. */
function refused(name: string, { dimensions, embedder }: Kind, asked: Kind | null): ToolFailure {
  const says = (message: string) => new ToolFailure('validation_failed', `collection: "${name}" ${message}`);
  if (asked === null) {
    return says(
      `holds vectors of ${dimensions} dimensions that agents give: give "vector" in place of "text"`,
    );
  }
  if (embedder.name !== asked.embedder.name) {
    return asked.embedder.name === 'given'
      ? says(`holds vectors of texts (${embedder.model ?? embedder.name}): give "text" in place of "vector"`)
      : says(
          `was made by ${embedder.model ?? embedder.name} meanwhile: try again, or use another collection`,
        );
  }
  return embedder.model === asked.embedder.model
    ? says(
        `holds vectors of ${dimensions} dimensions, and this one has ${asked.dimensions}; use another collection`,
      )
    : says(`was made by the model ${embedder.model}; use another collection for ${asked.embedder.model}`);
}
