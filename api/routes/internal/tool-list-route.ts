import * as z from 'zod';
import { toolListReport } from '../../../contract/tool-definitions.ts';
import { createRateLimiter } from '../../middleware/rate-limit.ts';
import { itsSidecar } from '../../policies/access.ts';
import { type AnyRoute, defineRoute } from '../../route.ts';
import { receive } from '../../tool-lists/receive.ts';
import type { SessionRouteDependencies } from '../session-dependencies.ts';

/** A sidecar reports a list only when it differs from the last one. */
const reportsPerMinute = 120;

/** It does not count as activity of the agent. */
export function toolListRoute(dependencies: Pick<SessionRouteDependencies, 'db' | 'config'>): AnyRoute {
  const reported = createRateLimiter({
    name: 'lists of tools a minute of a session',
    perMinute: reportsPerMinute,
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
