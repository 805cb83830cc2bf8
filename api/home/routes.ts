import * as z from 'zod';
import { workspaceHome, workspaceInsights } from '../../contract/home.ts';
import { knownTimeZone } from '../../contract/schedule.ts';
import { anyMember } from '../policies/access.ts';
import { type AnyRoute, defineRoute } from '../route.ts';
import { type HomeDependencies, readHome } from './read-home.ts';
import { readInsights } from './read-insights.ts';

const timeZone = z.string().max(100).default('UTC');
/** A browser may know a zone that is newer than this process. */
const zoneOf = (name: string): string => knownTimeZone(name) ?? 'UTC';

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
      query: z.object({ time_zone: timeZone }),
      response: z.strictObject({ home: workspaceHome }),
      handler: async ({ query, ...visit }) => ({
        home: await readHome(dependencies, visit, zoneOf(query.time_zone)),
      }),
    }),
    defineRoute({
      method: 'get',
      path: '/workspaces/{slug}/insights',
      summary:
        'Permission requests by decision, the median time to decide, and tool calls by outcome, of the last `days` of `time_zone`, of UTC where it is not known; tokens by agent and endpoint, of as many days of UTC. Of sessions those that the list shows the caller',
      scope: 'workspace',
      access: anyMember,
      isCompressed: true,
      query: z.object({
        days: z.coerce.number().int().min(1).max(90).default(30),
        time_zone: timeZone,
      }),
      response: z.strictObject({ insights: workspaceInsights }),
      handler: async ({ query, ...visit }) => ({
        insights: await readInsights(dependencies.db, visit, {
          days: query.days,
          timeZone: zoneOf(query.time_zone),
        }),
      }),
    }),
  ];
}
