import * as z from 'zod';
import { recordCheckProcess } from '../../../commands/mcp-checks/record-process.ts';
import { recordProcess } from '../../../commands/session-processes/record.ts';
import { processReport } from '../../../contract/session-process.ts';
import { createRateLimiter } from '../../middleware/rate-limit.ts';
import { itsSidecar } from '../../policies/access.ts';
import { type AnyRoute, defineRoute } from '../../route.ts';
import type { SessionRouteDependencies } from '../session-dependencies.ts';

/** A sidecar reports each process three times a second at most, and mostly not at all. */
const reportsPerMinute = 1200;

/** The body may hold secret values: it is never logged and is stored sealed. It does not count as activity of the agent. */
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
