import * as z from 'zod';
import { deleteVectors } from '../../commands/vectors/items.ts';
import { replaces } from '../../contract/platform-tools.ts';
import { itemId, vectorLimits } from '../../contract/vectors.ts';
import { defineTool } from './tool.ts';
import { collectionField, filterField, unknownCollection } from './vector-fields.ts';

export const vectorDelete = defineTool({
  name: 'vector_delete',
  title: 'Delete items of a collection',
  annotations: replaces,
  description:
    'Deletes items of a collection by their ids, or all that meet a filter; an empty filter deletes every item. Ids that are not there are left out of the count. With its last item the collection is gone, and its name is free for vectors of other dimensions or another origin.',
  input: z
    .strictObject({
      collection: collectionField,
      ids: z
        .array(itemId)
        .min(1)
        .max(vectorLimits.idsPerDelete)
        .optional()
        .describe('Which items. Give exactly one of ids and filter'),
      filter: filterField.optional(),
    })
    .refine(
      ({ ids, filter }) => (ids === undefined) !== (filter === undefined),
      'give exactly one of ids and filter',
    ),
  output: z.strictObject({ deleted: z.int() }),
  example: { input: { collection: 'tickets', filter: { status: 'closed' } }, output: { deleted: 12 } },
  async run({ collection: name, ids, filter = {} }, { workspace_id: workspaceId }, { db }) {
    const selection = ids === undefined ? { filter } : { ids };
    const deleted = await deleteVectors(db, { workspaceId, name }, selection);
    if (deleted === null) {
      throw unknownCollection(name);
    }
    return { deleted };
  },
});
