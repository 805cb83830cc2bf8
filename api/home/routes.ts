import * as z from 'zod';
import { workspaceHome } from '../../contract/home.ts';
import { knownTimeZone } from '../../contract/schedule.ts';
import { anyMember } from '../policies/access.ts';
import { type AnyRoute, defineRoute } from '../route.ts';
import { type HomeDependencies, readHome } from './read-home.ts';

export function homeRoutes(dependencies: HomeDependencies): AnyRoute[] {
  return [
    defineRoute({
      method: 'get',
      path: '/workspaces/{slug}/home',
      summary:
        'What needs the caller, what runs, what failed and comes next: of sessions those that the list shows them. The days of the week are those of `time_zone`, of UTC where it is not known',
      scope: 'workspace',
      access: anyMember,
      isCompressed: true,
      query: z.object({ time_zone: z.string().max(100).default('UTC') }),
      response: z.strictObject({ home: workspaceHome }),
      // A browser may know a zone that is newer than this process.
      handler: async ({ query, ...visit }) => ({
        home: await readHome(dependencies, visit, knownTimeZone(query.time_zone) ?? 'UTC'),
      }),
    }),
  ];
}
