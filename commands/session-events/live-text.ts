/** An agent's message while it is written, and the event of one that does not come to its end. */
import type { Session } from '../../contract/session.ts';
import { type Db, inTransaction, type Transaction } from '../../store/database.ts';
import {
  findOtherLiveText,
  type LiveText,
  replaceLiveText,
  takeLiveText,
} from '../../store/live-texts/live-texts.ts';
import { QuotaExceededError } from '../../store/quotas/quotas.ts';
import {
  appendSessionEvent,
  findSessionOfEvent,
  takePublishedBytes,
} from '../../store/session-events/append.ts';
import { lockSessionRow } from '../../store/sessions/status.ts';

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
        await cutOffLiveText(trx, session, { unless: null, limitBytes });
        await replaceLiveText(trx, live);
      }
    });
  }
}

/**
 * Ends what the session's agent was writing: it is an event, marked as cut off, since people may have read
 * it. `unless` is the message that is complete. Takes a transaction that holds the session's lock. Throws
 * QuotaExceededError when it would exceed `limitBytes` of published bytes.
 */
export async function cutOffLiveText(
  trx: Transaction,
  { id, agent_id: agentId }: Writer,
  { unless, limitBytes }: { unless: string | null; limitBytes: number },
): Promise<void> {
  const left = await takeLiveText(trx, id);
  if (left === null || left.message_id === unless || left.text.trim() === '') {
    return;
  }
  // A sidecar chose the id: it may be in use elsewhere by now.
  if ((await findSessionOfEvent(trx, left.message_id)) !== null) {
    return;
  }
  const payload = { text: left.text, channel: null, cut_off: true as const };
  const sizeBytes = Buffer.byteLength(JSON.stringify(payload));
  if (!(await takePublishedBytes(trx, id, { sizeBytes, limitBytes }))) {
    throw new QuotaExceededError(limitBytes, 'bytes of what a session publishes');
  }
  const actor = { type: 'agent' as const, id: agentId };
  await appendSessionEvent(trx, id, { id: left.message_id, type: 'agent.message', actor, payload });
}
