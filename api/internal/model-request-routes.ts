import * as z from 'zod';
import { askForModelRequest } from '../../commands/model-requests/ask.ts';
import {
  modelRequestAnswer,
  modelRequestId,
  modelRequestInput,
  modelUsageReport,
} from '../../contract/model-access.ts';
import { isKnownRequest, settleModelRequest } from '../../store/model-requests/requests.ts';
import { notFound } from '../errors.ts';
import { createRateLimiter } from '../middleware/rate-limit.ts';
import { itsSidecar } from '../policies/access.ts';
import { type AnyRoute, defineRoute } from '../route.ts';
import type { SessionRouteDependencies } from '../session-dependencies.ts';

const path = '/sessions/{session_id}/model-requests/{request_id}';
const params = z.object({ request_id: modelRequestId });

/** The command reads the session itself, so that one that has ended is an answer for the agent. */
export function modelRequestRoute({ db, config }: Pick<SessionRouteDependencies, 'db' | 'config'>): AnyRoute {
  const asked = createRateLimiter({
    name: 'requests a minute to the model of a session',
    perMinute: config.RATE_SESSION_REQUESTS_PER_MINUTE,
  });
  return defineRoute({
    method: 'put',
    path,
    summary: 'May this request be sent to the agent’s language model, now?',
    scope: 'sidecar',
    access: itsSidecar,
    params,
    body: modelRequestInput,
    response: modelRequestAnswer,
    async handler({ sidecar: { sessionId }, params: { request_id: id }, body: { max_tokens: maxTokens } }) {
      asked.take(sessionId);
      const answer = await askForModelRequest(db, { sessionId, id, maxTokens });
      if (answer === null) {
        throw notFound('The session');
      }
      return answer;
    },
  });
}

/** It does not count as activity of the agent: the request did. */
export function modelUsageReportRoute({ db }: Pick<SessionRouteDependencies, 'db'>): AnyRoute {
  return defineRoute({
    method: 'put',
    path: `${path}/usage`,
    summary: 'What an allowed request to the language model took; the first report counts',
    scope: 'internal',
    access: itsSidecar,
    params,
    body: modelUsageReport,
    async handler({ ctx, session, params: { request_id: id }, body }) {
      const request = { sessionId: session.id, id };
      if (!(await isKnownRequest(db, request))) {
        throw notFound('The request');
      }
      await settleModelRequest(db, request, body);
      ctx.status = 204;
    },
  });
}
