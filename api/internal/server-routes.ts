/** What a sidecar asks and reports for the servers and siblings of its session. */
import * as z from 'zod';
import { recordCheckProcess } from '../../commands/mcp-checks/checks.ts';
import { recordProcess } from '../../commands/session-processes/processes.ts';
import { accessTokenAnswer, accessTokenReport } from '../../contract/remote-server.ts';
import { systemActor } from '../../contract/session-event.ts';
import { processReport } from '../../contract/session-process.ts';
import { siblingNotReady } from '../../contract/sibling-sentences.ts';
import { siblingReport } from '../../contract/sidecar.ts';
import { toolListReport } from '../../contract/tool-definitions.ts';
import { readConfiguration } from '../../store/session-configurations/configurations.ts';
import { requestEnding } from '../../store/sessions/sessions.ts';
import { isWorkspaceOpen } from '../../store/workspaces/closing.ts';
import { notFound } from '../errors.ts';
import { createRateLimiter } from '../middleware/rate-limit.ts';
import { itsSidecar } from '../policies/access.ts';
import { type AnyRoute, defineRoute } from '../route.ts';
import type { SessionRouteDependencies } from '../session-dependencies.ts';
import { tellEnding } from '../sessions/tell-ending.ts';
import { giveToken, type TokenDependencies } from './give-token.ts';
import { receive } from './receive-tool-list.ts';
import { nobodyCanSignIn, readAsker } from './require-sign-in.ts';

/** A bridge keeps its token until it ends, and asks again when the server refuses it. */
const tokensPerMinute = 120;

/** It does not count as activity of the agent. */
export function accessTokenRoute(dependencies: TokenDependencies): AnyRoute {
  const asked = createRateLimiter({
    name: 'access tokens a minute of a session',
    perMinute: tokensPerMinute,
  });
  return defineRoute({
    method: 'post',
    path: '/sessions/{session_id}/access-tokens',
    summary:
      'An access token of the session’s operator, or of the check’s, for a remote server that was frozen',
    scope: 'workload',
    access: itsSidecar,
    secretBody: true,
    body: accessTokenReport,
    response: accessTokenAnswer,
    async handler({ workload, body: { server, ...question } }) {
      asked.take(workload.kind === 'check' ? workload.check.id : workload.session.id);
      const { workspace_id: workspaceId } = workload.kind === 'check' ? workload.check : workload.session;
      if (!(await isWorkspaceOpen(dependencies.db, workspaceId))) {
        return nobodyCanSignIn(server);
      }
      const asker = await readAsker(dependencies.db, { workload }, server);
      return asker === null ? nobodyCanSignIn(server) : giveToken(dependencies, asker, question);
    },
  });
}

/** A sidecar reports a list only when it differs from the last one. */
const listsPerMinute = 120;

/** It does not count as activity of the agent. */
export function toolListRoute(dependencies: Pick<SessionRouteDependencies, 'db' | 'config'>): AnyRoute {
  const reported = createRateLimiter({
    name: 'lists of tools a minute of a session',
    perMinute: listsPerMinute,
  });
  return defineRoute({
    method: 'post',
    path: '/sessions/{session_id}/tool-lists',
    summary: 'Report what a server listed of its tools',
    scope: 'workload',
    access: itsSidecar,
    // A server may tell its secrets.
    secretBody: true,
    body: toolListReport,
    response: z.strictObject({ ok: z.literal(true) }),
    async handler({ workload, body }) {
      reported.take(workload.kind === 'check' ? workload.check.id : workload.session.id);
      await receive(dependencies, { workload }, body);
      return { ok: true } as const;
    },
  });
}

/** A sidecar reports each process three times a second at most, and mostly not at all. */
const reportsPerMinute = 1200;

/**
 * The body may hold secret values: it is never logged and is stored sealed. It does not count as activity of
 * the agent.
 */
export function processRoute({ db, config }: Pick<SessionRouteDependencies, 'db' | 'config'>): AnyRoute {
  const reported = createRateLimiter({
    name: 'reports a minute about the processes of a session',
    perMinute: reportsPerMinute,
  });
  return defineRoute({
    method: 'post',
    path: '/sessions/{session_id}/processes',
    summary: 'Report the state of a process of the session, and what it wrote to stderr',
    scope: 'workload',
    access: itsSidecar,
    secretBody: true,
    body: processReport,
    response: z.strictObject({ ok: z.literal(true) }),
    async handler({ workload, body }) {
      if (workload.kind === 'check') {
        reported.take(workload.check.id);
        await recordCheckProcess(db, config.MASTER_KEYS, workload.check, body);
        return { ok: true } as const;
      }
      const { session } = workload;
      reported.take(session.id);
      await recordProcess(db, config.MASTER_KEYS, session, body);
      return { ok: true } as const;
    },
  });
}

/** Ends the session, whose agent was not started. */
export function siblingRoute(dependencies: SessionRouteDependencies): AnyRoute {
  const { db } = dependencies;
  return defineRoute({
    method: 'post',
    path: '/sessions/{session_id}/sibling-not-ready',
    summary: 'The agent is not started: a sibling that it waits for did not get ready',
    scope: 'internal',
    access: itsSidecar,
    body: siblingReport,
    response: z.strictObject({ ok: z.literal(true) }),
    async handler({ session, body }) {
      const configuration = await readConfiguration(db, session.id);
      const sibling = configuration?.siblings.find(({ name }) => name === body.name);
      if (sibling?.ready === undefined) {
        throw notFound('The sibling');
      }
      const reason = siblingNotReady(sibling.name, sibling.ready.timeout_seconds, body.failure);
      await requestEnding(db, session.id, { by: systemActor, status: 'failed', reason, summary: null });
      await tellEnding(dependencies, session.id);
      return { ok: true } as const;
    },
  });
}
