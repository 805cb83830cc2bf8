/**
 * An agent's way to a language model: its socket is copied to connections that the session's model program
 * dials, which asks on another one whether the platform permits a request
 * (docs/decisions/0056-model-access.md). Nothing that is said is read here.
 */

import { agentModelSocket, modelSocket } from '../../contract/session-paths.ts';
import { joinLimits } from '../../lib/timing/join-connections.ts';
import { openCopiedSocket } from '../dialed-connections/copied-socket.ts';
import { closeHttp, listenOnPath } from '../http/listen-http.ts';
import type { PlatformApi } from '../platform-api/platform-api.ts';
import { createBudgetHttp } from './budget-http.ts';

/** The model program may be starting still, or be started again. */
export const modelCopyLimits = { ...joinLimits, mostConnections: 64, connectMs: 15_000, stalledMs: 60_000 };

const unansweredBody = JSON.stringify({
  type: 'error',
  error: {
    type: 'overloaded_error',
    message:
      'The model cannot be reached at the moment: its container does not run, or too much is asked of it',
    ...{ param: null, code: 'server_is_overloaded' },
  },
});
/** For clients of every dialect, which is not known here: each reads its own members. They try again. */
const unanswered = [
  'HTTP/1.1 503 Service Unavailable',
  'content-type: application/json',
  `content-length: ${unansweredBody.length}`,
  'retry-after: 2',
  'connection: close',
  '',
  unansweredBody,
].join('\r\n');

/** Throws when a socket cannot be created. */
export async function openModelSockets(
  api: Pick<PlatformApi, 'askForModelRequest' | 'reportModelUsage'>,
  paths: { agent: string; requests: string; budget: string } = {
    agent: agentModelSocket(),
    requests: modelSocket('requests'),
    budget: modelSocket('budget'),
  },
): Promise<{ close(): Promise<void> }> {
  const budget = createBudgetHttp(api);
  await listenOnPath(budget, paths.budget);
  const copied = await openCopiedSocket({
    path: paths.agent,
    dialedPath: paths.requests,
    unanswered,
    limits: modelCopyLimits,
  });
  return {
    async close() {
      await Promise.all([copied.close(), closeHttp(budget)]);
    },
  };
}
