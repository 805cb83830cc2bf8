import * as z from 'zod';
import { showLiveText } from '../../commands/session-events/live-text.ts';
import { liveTextEveryMs, liveTextReport } from '../../contract/live-text.ts';
import { createRateLimiter } from '../middleware/rate-limit.ts';
import { itsSidecar } from '../policies/access.ts';
import { type AnyRoute, defineRoute } from '../route.ts';
import type { SessionRouteDependencies } from '../session-dependencies.ts';
import type { MessageSecrets } from './message-secrets.ts';

/** A sidecar within its limit stays below this also when several pieces arrive late. */
const slack = 2;

export function liveTextRoute({ db, config }: SessionRouteDependencies, secrets: MessageSecrets): AnyRoute {
  const shown = createRateLimiter({
    name: 'pieces of messages a minute of the agent of a session',
    perMinute: (slack * 60_000) / liveTextEveryMs,
  });
  return defineRoute({
    method: 'put',
    path: '/sessions/{session_id}/live-text',
    summary: 'What the agent has written of a message that it still writes, in place of what was told before',
    scope: 'internal',
    access: itsSidecar,
    body: liveTextReport,
    response: z.strictObject({ ok: z.literal(true) }),
    async handler({ session, body }) {
      shown.take(session.id);
      const text = await secrets.soFar(session, body);
      if (text !== null && text.trim() !== '') {
        const limits = { limitBytes: config.LIMIT_SESSION_EVENT_BYTES };
        await showLiveText(db, session, { message_id: body.message_id, text }, limits);
      }
      return { ok: true } as const;
    },
  });
}
