import * as z from 'zod';
import { presentUsage } from '../../commands/model-requests/ask.ts';
import { dailyModelUsage, modelUsage } from '../../contract/model-access.ts';
import { uuid } from '../../contract/names.ts';
import { listDailyUsage, readModelAccess, readModelTotals } from '../../store/model-requests/requests.ts';
import { anyMember, sessionReaders } from '../policies/access.ts';
import { readableBy } from '../policies/sessions.ts';
import { type AnyRoute, defineRoute } from '../route.ts';
import type { SessionRouteDependencies } from '../session-dependencies.ts';

type Dependencies = Pick<SessionRouteDependencies, 'db'>;

/** Numbers alone: what was asked and answered is not stored. */
export const modelUsageRoutes = (dependencies: Dependencies): AnyRoute[] => [
  ofSessionRoute(dependencies),
  byDayRoute(dependencies),
];

function ofSessionRoute({ db }: Dependencies): AnyRoute {
  return defineRoute({
    method: 'get',
    path: '/sessions/{session_id}/model-usage',
    summary:
      'What a session has used of its access to a language model, and its limits; null without access, and before the freeze',
    scope: 'session',
    access: sessionReaders,
    response: z.strictObject({ model_usage: modelUsage.nullable() }),
    async handler({ session }) {
      const access = await readModelAccess(db, session.id);
      return {
        model_usage: access && presentUsage(await readModelTotals(db, session.id), access),
      };
    },
  });
}

function byDayRoute({ db }: Dependencies): AnyRoute {
  return defineRoute({
    method: 'get',
    path: '/workspaces/{slug}/model-usage',
    summary:
      'What sessions have used of language models, by day (UTC), agent and endpoint, newest first: of all sessions for admins, of own and shared ones for members; at most 1,000 rows',
    scope: 'workspace',
    access: anyMember,
    query: z.object({
      agent_id: uuid.optional(),
      days: z.coerce.number().int().min(1).max(366).default(30),
    }),
    response: z.strictObject({ model_usage: z.array(dailyModelUsage) }),
    async handler({ workspace, query, ...visit }) {
      const { agent_id: agentId, days } = query;
      const filter = { workspaceId: workspace.id, agentId, days, readableBy: readableBy(visit) };
      return { model_usage: await listDailyUsage(db, filter) };
    },
  });
}
