/** An agent's message while it is written, and the event of one that does not come to its end. */
import { withoutControls } from '../../contract/live-text.ts';
import type { Session } from '../../contract/session.ts';
import { type Db, inTransaction, type Transaction } from '../../store/database.ts';
import {
  findOtherLiveText,
  type LiveText,
  replaceLiveText,
  takeLiveText,
} from '../../store/live-texts/live-texts.ts';
import {
  appendSessionEvent,
  derivedId,
  findSessionOfEvent,
  requirePublishedBytes,
} from '../../store/session-events/append.ts';
import { lockSessionRow } from '../../store/sessions/sessions.ts';

type Writer = Pick<Session, 'id' | 'agent_id'>;

/**
 * Shows what the session's agent has written of a message. One that it began before, and left, is over with
 * that. Idempotent. Throws QuotaExceededError as `cutOffLiveText` does.
 */
export async function showLiveText(
  db: Db,
  session: Writer,
  text: Omit<LiveText, 'session_id'>,
  { limitBytes }: { limitBytes: number },
): Promise<void> {
  const live = { session_id: session.id, ...text };
  const isOther = (known: Db) => findOtherLiveText(known, session.id, text.message_id);
  if (!(await replaceLiveText(db, live)) && (await isOther(db))) {
    await inTransaction(db, async (trx) => {
      await lockSessionRow(trx, session.id);
      // A piece that comes after its message ends nothing that was begun since.
      if ((await findSessionOfEvent(trx, text.message_id)) === null && (await isOther(trx))) {
        await cutOffLiveText(trx, session, { whole: null, limitBytes });
        await replaceLiveText(trx, live);
      }
    });
  }
}

/** What was shown last is never refused. */
export const withoutLimit = { whole: null, limitBytes: Number.MAX_SAFE_INTEGER };

/** Ends what an agent wrote whose sidecar has died. */
export function endLiveText(db: Db, session: Writer): Promise<void> {
  return inTransaction(db, async (trx) => {
    await lockSessionRow(trx, session.id);
    await cutOffLiveText(trx, session, withoutLimit);
  });
}

/**
 * Ends what the session's agent was writing: it is an event, marked as cut off, since people may have read
 * it. `whole` is the message that comes next: what it begins with is said by it. Takes a transaction that
 * holds the session's lock. Throws QuotaExceededError when it would exceed `limitBytes` of published bytes.
 */
export async function cutOffLiveText(
  trx: Transaction,
  { id, agent_id: agentId }: Writer,
  { whole, limitBytes }: { whole: { id: string; text: string } | null; limitBytes: number },
): Promise<void> {
  const left = await takeLiveText(trx, id);
  if (left === null || left.text.trim() === '') {
    return;
  }
  const isItsBeginning = left.message_id === whole?.id;
  if (isItsBeginning && withoutControls(whole.text).startsWith(left.text)) {
    return;
  }
  // The whole message has the id, and is another text, such as only a mark where there is too much to search.
  const eventId = isItsBeginning ? derivedId(left.message_id, 'shown') : left.message_id;
  // A sidecar chose the id: it may be in use elsewhere by now.
  if ((await findSessionOfEvent(trx, eventId)) !== null) {
    return;
  }
  const payload = { text: left.text, channel: null, cut_off: true as const };
  const sizeBytes = Buffer.byteLength(JSON.stringify(payload));
  await requirePublishedBytes(trx, id, { sizeBytes, limitBytes });
  const actor = { type: 'agent' as const, id: agentId };
  await appendSessionEvent(trx, id, { id: eventId, type: 'agent.message', actor, payload });
}
