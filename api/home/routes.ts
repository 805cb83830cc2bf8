import * as z from 'zod';
import { utcOffsetMinutes, workspaceHome } from '../../contract/home.ts';
import { anyMember } from '../policies/access.ts';
import { type AnyRoute, defineRoute } from '../route.ts';
import { type HomeDependencies, readHome } from './read-home.ts';

export function homeRoutes(dependencies: HomeDependencies): AnyRoute[] {
  return [
    defineRoute({
      method: 'get',
      path: '/workspaces/{slug}/home',
      summary:
        'What needs the caller, what runs, what failed and comes next: of sessions those that the list shows them',
      scope: 'workspace',
      access: anyMember,
      query: z.object({ utc_offset_minutes: utcOffsetMinutes }),
      response: z.strictObject({ home: workspaceHome }),
      handler: async ({ query, ...visit }) => ({
        home: await readHome(dependencies, visit, query.utc_offset_minutes),
      }),
    }),
  ];
}
