/** What routes of sidecars record of the agent besides what was asked. */
import { recordAtWork } from '../../commands/sessions/move.ts';
import type { Db } from '../../store/database.ts';
import { type AnyRoute, type ContextByScope, sessionIn } from '../route.ts';
import type { IdleClock } from './idle-clock.ts';

interface OfSidecar
  extends Partial<ContextByScope['internal'] & ContextByScope['sidecar'] & ContextByScope['gateway']> {
  requestId: string;
}

/** What the route takes was done by the agent of a session, which therefore runs. */
export function recordingAtWork(db: Db, route: AnyRoute): AnyRoute {
  return {
    ...route,
    async handler(input) {
      const session = sessionIn(input as OfSidecar);
      if (session !== null) {
        await recordAtWork(db, session);
      }
      return route.handler(input);
    },
  };
}

/**
 * Each accepted request of the route counts as activity of its session. A check or a
 * service has no idle clock.
 */
export function restartingIdleClock(clock: IdleClock, route: AnyRoute): AnyRoute {
  return {
    ...route,
    async handler(input) {
      const answer = await route.handler(input);
      const id = sessionIn(input as OfSidecar)?.id ?? (input as OfSidecar).sidecar?.sessionId;
      if (id !== undefined) {
        await clock.restart(id);
      }
      return answer;
    },
  };
}
