import * as z from 'zod';
import { collection, vectorLimits } from '../../contract/vectors.ts';
import { listCollections } from '../../store/vectors/collections.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { anyMember } from '../policies/access.ts';
import { type AnyRoute, defineRoute } from '../route.ts';

export function collectionRoutes({ db }: Pick<ApiDependencies, 'db'>): AnyRoute[] {
  return [
    defineRoute({
      method: 'get',
      path: '/workspaces/{slug}/collections',
      summary: 'The collections of vectors that the agents of the workspace share, by name',
      scope: 'workspace',
      access: anyMember,
      response: z.strictObject({
        collections: z.array(collection),
        /** There are further ones. */
        truncated: z.boolean(),
      }),
      handler: ({ workspace }) => listCollections(db, workspace.id, { limit: vectorLimits.collectionsShown }),
    }),
  ];
}
