/** What an agent publishes: events, and what it has written of a message that it still writes. */

import * as z from 'zod';
import { showLiveText } from '../../commands/session-events/live-text.ts';
import { isStored, PublishingRefusedError, publishEvent } from '../../commands/session-events/publish.ts';
import { liveTextEveryMs, liveTextReport } from '../../contract/live-text.ts';
import { nobodyToAsk } from '../../contract/sentences.ts';
import type { Session } from '../../contract/session.ts';
import type { EventReport } from '../../contract/sidecar.ts';
import type { Db } from '../../store/database.ts';
import { ApiError, invalid } from '../errors.ts';
import { createRateLimiter } from '../middleware/rate-limit.ts';
import { itsSidecar } from '../policies/access.ts';
import { type AnyRoute, defineRoute } from '../route.ts';
import type { SessionRouteDependencies } from '../session-dependencies.ts';
import type { MessageSecrets } from './message-secrets.ts';

/**
 * Publishes an event of the session's agent. Idempotent. Throws 422 for a share of nothing, 409 for an id
 * that another session uses, 413 when the agent has reached its limit of published bytes, 403 for a question
 * that nobody could answer.
 */
export async function receiveEvent(
  db: Db,
  session: Session,
  event: EventReport,
  { limitBytes, secrets }: { limitBytes: number; secrets: Pick<MessageSecrets, 'whole'> },
): Promise<void> {
  if (event.type === 'agent.input_requested' && session.operator_id === null) {
    throw new ApiError('forbidden', nobodyToAsk);
  }
  try {
    // What is stored already, or refused, costs no search.
    if (event.type === 'agent.message' && (await isStored(db, session, event, { limitBytes }))) {
      return;
    }
    await publishEvent(db, session, await withoutSecrets(session, event, secrets), { limitBytes });
  } catch (error) {
    throw error instanceof PublishingRefusedError ? refusalOf(error, limitBytes) : error;
  }
}

async function withoutSecrets(
  session: Session,
  event: EventReport,
  secrets: Pick<MessageSecrets, 'whole'>,
): Promise<EventReport> {
  if (event.type !== 'agent.message') {
    return event;
  }
  const text = await secrets.whole(session, event.payload.text);
  return { ...event, payload: { ...event.payload, text } };
}

function refusalOf({ refusal }: PublishingRefusedError, limitBytes: number): ApiError {
  switch (refusal) {
    case 'beyond_limit':
      return new ApiError(
        'too_large',
        `The limit is ${limitBytes} bytes for the events of a session together`,
      );
    case 'unknown_artifact': {
      const message = 'there is no such artifact in this session';
      return invalid([{ path: 'payload.artifact_id', code: 'unknown_reference', message }]);
    }
    case 'event_id_taken':
      return new ApiError('conflict', 'The event id is in use');
    case 'input_request_id_taken':
      return new ApiError('conflict', 'The input request id is in use');
    case 'share_id_taken':
      return new ApiError('conflict', 'The share id is in use');
  }
}

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
