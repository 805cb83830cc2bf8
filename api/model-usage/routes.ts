import * as z from 'zod';
import { presentUsage } from '../../commands/model-requests/ask.ts';
import { modelUsage } from '../../contract/model-access.ts';
import { readModelAccess, readModelTotals } from '../../store/model-requests/requests.ts';
import { sessionReaders } from '../policies/access.ts';
import { type AnyRoute, defineRoute } from '../route.ts';
import type { SessionRouteDependencies } from '../session-dependencies.ts';

/** Numbers alone: what was asked and answered is not stored. */
export function modelUsageRoute({ db }: Pick<SessionRouteDependencies, 'db'>): AnyRoute {
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
