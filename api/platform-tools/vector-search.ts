import * as z from 'zod';
import { reads } from '../../contract/platform-tools.ts';
import { bytesPerNumber, match, readVector, vectorLimits } from '../../contract/vectors.ts';
import { readWithin } from '../../store/read-within.ts';
import { findCollection, type StoredCollection } from '../../store/vectors/collections.ts';
import { searchItems } from '../../store/vectors/search.ts';
import { defineTool, readLimitMs, type ToolCaller, type ToolDependencies, ToolFailure } from './tool.ts';
import {
  collectionField,
  embedForTool,
  exactlyOne,
  filterField,
  sharedByAgents,
  textField,
  unknownCollection,
  vectorField,
} from './vector-fields.ts';

const defaultMatches = 10;
/** With ids and scores this is less than an answer may have. */
const metadataBytes = 256 * 1024;

const input = z
  .strictObject({
    collection: collectionField,
    vector: vectorField.optional(),
    text: textField.optional(),
    top_k: z
      .int()
      .min(1)
      .max(vectorLimits.matches)
      .optional()
      .describe(`At most this many matches; ${defaultMatches} unless given`),
    filter: filterField.optional(),
  })
  .refine(exactlyOne.check, exactlyOne.message);

export const vectorSearch = defineTool({
  name: 'vector_search',
  title: 'Find similar items of a collection',
  annotations: reads,
  description: `Finds the items of a collection whose vectors are most similar to a vector, or to that of a text, among those that meet the filter. The score is the cosine similarity, 1 for the same direction; the best ones come first. In a large collection some of the less similar ones may be missed. \`truncated\` says that matches were left out because their metadata is too long: ask for fewer. ${sharedByAgents}`,
  input,
  output: z.strictObject({ matches: z.array(match), truncated: z.boolean() }),
  example: {
    input: {
      collection: 'tickets',
      text: 'printer prints empty pages',
      top_k: 3,
      filter: { status: 'open' },
    },
    output: {
      matches: [{ id: 'T-17', score: 0.689535, metadata: { floor: 2, status: 'open' } }],
      truncated: false,
    },
  },
  async run({ collection: name, top_k = defaultMatches, filter, ...asked }, caller, dependencies) {
    const { db, config } = dependencies;
    const { workspace_id: workspaceId } = caller;
    const collection = await findCollection(db, { workspaceId, name });
    if (collection === null) {
      throw unknownCollection(name);
    }
    const { id: collectionId, items, dimensions } = collection;
    const vector = await vectorOf(asked, collection, caller, dependencies);
    if (vector.length !== dimensions) {
      throw new ToolFailure(
        'validation_failed',
        `collection: "${name}" holds vectors of ${dimensions} dimensions, and this one has ${vector.length}`,
      );
    }
    const query = { workspaceId, collectionId, vector, filter, limit: top_k, items };
    const bounds = { exactItems: config.LIMIT_VECTORS_SEARCHED_EXACTLY, limitMs: readLimitMs, metadataBytes };
    // One at a time: a workspace never holds more than one share.
    const found = await dependencies.runExclusive(`search ${workspaceId}`, () =>
      withinBudget(collection, dependencies, () =>
        readWithin(db, readLimitMs, (trx) => searchItems(trx, query, bounds)),
      ),
    );
    if (found.result === 'too_many') {
      throw new ToolFailure(
        'too_expensive',
        `collection: more than ${bounds.exactItems} items would have to be compared, and there is no index of "${name}"; give a filter that leaves fewer, or try again in some minutes where the collection has grown a moment ago`,
      );
    }
    return { matches: found.matches, truncated: found.truncated };
  },
});

/** Of what searches of all workspaces compare at the same time (`searchedBytes`): a quarter. */
const largestShareBytes = 32 * 1024 * 1024;

/**
 * Waits before a connection to the database is taken. Throws ToolFailure when others compare vectors for as
 * long as a search may take.
 */
async function withinBudget<Result>(
  { items, dimensions }: StoredCollection,
  { config, searchBudget }: ToolDependencies,
  search: () => Promise<Result>,
): Promise<Result> {
  const compared = Math.min(items, config.LIMIT_VECTORS_SEARCHED_EXACTLY);
  const bytes = Math.min(compared * dimensions * bytesPerNumber, largestShareBytes);
  if (!(await searchBudget.take(bytes, readLimitMs))) {
    throw new ToolFailure(
      'too_expensive',
      'Many large collections are searched at the moment; try again later',
    );
  }
  try {
    return await search();
  } finally {
    searchBudget.give(bytes);
  }
}

/** By the embedder of the collection: vectors of another one are not comparable. */
async function vectorOf(
  { vector, text = '' }: Pick<z.output<typeof input>, 'vector' | 'text'>,
  { name, embedder }: StoredCollection,
  caller: ToolCaller,
  dependencies: ToolDependencies,
): Promise<Float32Array> {
  if (vector !== undefined) {
    const read = readVector(vector);
    if ('problem' in read) {
      throw new ToolFailure('validation_failed', `vector: ${read.problem}`);
    }
    return read.vector;
  }
  if (embedder.name === 'given') {
    const message = `collection: "${name}" holds vectors that agents give: give "vector" in place of "text"`;
    throw new ToolFailure('validation_failed', message);
  }
  const { vectors } = await embedForTool([text], embedder, caller, dependencies);
  return vectors[0] ?? new Float32Array();
}
