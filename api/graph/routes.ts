import * as z from 'zod';
import { graphCounts } from '../../contract/graph.ts';
import { readGraphCounts } from '../../store/graph/discover.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { readLimitMs } from '../platform-tools/tool.ts';
import { anyMember } from '../policies/access.ts';
import { type AnyRoute, defineRoute } from '../route.ts';

const shownNames = 200;

export function graphRoutes({ db }: Pick<ApiDependencies, 'db'>): AnyRoute[] {
  return [
    defineRoute({
      method: 'get',
      path: '/workspaces/{slug}/graph',
      summary: 'How many nodes of each type and edges of each relation the graph of the workspace has',
      scope: 'workspace',
      access: anyMember,
      response: z.strictObject({ graph: graphCounts }),
      async handler({ workspace }) {
        return {
          graph: await readGraphCounts(db, workspace.id, { limit: shownNames, limitMs: readLimitMs }),
        };
      },
    }),
  ];
}
