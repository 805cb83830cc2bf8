import * as z from 'zod';
import { reads } from '../../contract/platform-tools.ts';
import { collection, vectorLimits } from '../../contract/vectors.ts';
import { listCollections } from '../../store/vectors/collections.ts';
import { defineTool } from './tool.ts';
import { sharedByAgents } from './vector-fields.ts';

export const listCollectionsTool = defineTool({
  name: 'list_collections',
  title: 'See which collections there are',
  annotations: reads,
  description: `Lists the collections of the workspace by name: how many items each has, how many dimensions, and what makes its vectors: "given" are those that agents bring, "provider" and "local-hashed-ngrams" embed texts. ${sharedByAgents}`,
  input: z.strictObject({}),
  output: z.strictObject({
    collections: z.array(collection),
    truncated: z.boolean().describe('There are further collections'),
  }),
  example: {
    input: {},
    output: {
      collections: [
        {
          ...{ name: 'tickets', dimensions: 512, embedder: { name: 'local-hashed-ngrams', model: null } },
          ...{ items: 240, created_at: '2026-03-01T12:00:00.000Z' },
          created_by_session: '9d8c7b6a-5f4e-4d3c-8b2a-1f0e9d8c7b6a',
        },
      ],
      truncated: false,
    },
  },
  run: (_given, { workspace_id }, { db }) =>
    listCollections(db, workspace_id, { limit: vectorLimits.collectionsShown }),
});
