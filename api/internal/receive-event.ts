import { isStored, PublishingRefusedError, publishEvent } from '../../commands/session-events/publish.ts';
import { nobodyToAsk } from '../../contract/sentences.ts';
import type { Session } from '../../contract/session.ts';
import type { EventReport } from '../../contract/sidecar.ts';
import type { Db } from '../../store/database.ts';
import { ApiError, invalid } from '../errors.ts';
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
