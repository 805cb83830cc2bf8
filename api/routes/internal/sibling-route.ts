import * as z from 'zod';
import { systemActor } from '../../../contract/session-event.ts';
import { siblingNotReady } from '../../../contract/sibling-sentences.ts';
import { siblingReport } from '../../../contract/sidecar.ts';
import { readConfiguration } from '../../../store/session-configurations/configurations.ts';
import { requestEnding } from '../../../store/sessions/ending.ts';
import { notFound } from '../../errors.ts';
import { itsSidecar } from '../../policies/access.ts';
import { type AnyRoute, defineRoute } from '../../route.ts';
import { tellEnding } from '../../sessions/tell-ending.ts';
import type { SessionRouteDependencies } from '../session-dependencies.ts';

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
