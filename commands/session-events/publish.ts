/** What a session publishes, within what it may. */
import type { Session } from '../../contract/session.ts';
import type { EventReport } from '../../contract/sidecar.ts';
import { type Db, inTransaction, type Transaction } from '../../store/database.ts';
import { insertInputRequest } from '../../store/input-requests/input-requests.ts';
import {
  appendSessionEvent,
  findSessionOfEvent,
  isCutOff,
  mayPublishBytes,
  takePublishedBytes,
} from '../../store/session-events/append.ts';
import { lockSessionRow } from '../../store/sessions/sessions.ts';
import { insertShare, isArtifactOfSession } from '../../store/shares/shares.ts';
import { cutOffLiveText } from './live-text.ts';

type PublishingRefusal =
  | 'event_id_taken'
  | 'beyond_limit'
  | 'input_request_id_taken'
  | 'share_id_taken'
  | 'unknown_artifact';

/** What an agent published was refused, and nothing of it is stored. */
export class PublishingRefusedError extends Error {
  override name = 'PublishingRefusedError';
  readonly refusal: PublishingRefusal;

  constructor(refusal: PublishingRefusal) {
    super(refusal);
    this.refusal = refusal;
  }
}

/**
 * Appends what the session's agent published together with what it announces: a question to the user, or a
 * share. Idempotent. Throws PublishingRefusedError for an id that another session uses or that a message has
 * which was cut off, for a share of nothing, and when the agent has reached `limitBytes` of published bytes.
 */
export async function publishEvent(
  db: Db,
  session: Session,
  event: EventReport,
  { limitBytes }: { limitBytes: number },
): Promise<void> {
  await inTransaction(db, async (trx) => {
    if (event.type === 'agent.message') {
      // Before the look: a message that is cut off meanwhile becomes an event of this id.
      await lockSessionRow(trx, session.id);
    }
    if (await isPublished(trx, session, event)) {
      return;
    }
    const sizeBytes = sizeOf(event);
    requireTrue(await takePublishedBytes(trx, session.id, { sizeBytes, limitBytes }), 'beyond_limit');
    if (event.type === 'agent.message') {
      await cutOffLiveText(trx, session, { whole: { id: event.id, text: event.payload.text }, limitBytes });
    }
    await appendSessionEvent(trx, session.id, { ...event, actor: { type: 'agent', id: session.agent_id } });
    await storeAnnounced(trx, session.id, event);
  });
}

const sizeOf = ({ payload }: EventReport): number => Buffer.byteLength(JSON.stringify(payload));

/**
 * Whether the event is stored, for who has to prepare one. Throws PublishingRefusedError for an id in use and
 * beyond the limit, as `publishEvent` does.
 */
export async function isStored(
  db: Db,
  session: Pick<Session, 'id'>,
  event: EventReport,
  { limitBytes }: { limitBytes: number },
): Promise<boolean> {
  if (await isPublished(db, session, event)) {
    return true;
  }
  const bytes = { sizeBytes: sizeOf(event), limitBytes };
  requireTrue(await mayPublishBytes(db, session.id, bytes), 'beyond_limit');
  return false;
}

/** Throws PublishingRefusedError for an id that something else has: the whole of what was cut off, too. */
async function isPublished(db: Db, { id }: Pick<Session, 'id'>, event: EventReport): Promise<boolean> {
  const known = await findSessionOfEvent(db, event.id);
  if (known === null) {
    return false;
  }
  const isWhole = event.type === 'agent.message' && event.payload.cut_off !== true;
  requireTrue(known === id && !(isWhole && (await isCutOff(db, event.id))), 'event_id_taken');
  return true;
}

/** The question or the share that an event announces. */
async function storeAnnounced(trx: Transaction, sessionId: string, event: EventReport): Promise<void> {
  if (event.type === 'agent.input_requested') {
    const { input_request_id: id, prompt, options } = event.payload;
    requireTrue(await insertInputRequest(trx, sessionId, { id, prompt, options }), 'input_request_id_taken');
  }
  if (event.type === 'agent.shared') {
    const { artifact_id: artifactId } = event.payload;
    requireTrue(
      artifactId === null || (await isArtifactOfSession(trx, sessionId, artifactId)),
      'unknown_artifact',
    );
    requireTrue(await insertShare(trx, sessionId, event.payload), 'share_id_taken');
  }
}

function requireTrue(holds: boolean, refusal: PublishingRefusal): void {
  if (!holds) {
    throw new PublishingRefusedError(refusal);
  }
}
