import type { Session } from '../../../contract/session.ts';
import { type Actor, systemActor } from '../../../contract/session-event.ts';
import type { EventReport } from '../../../contract/sidecar.ts';
import { type Db, inTransaction } from '../../../store/database.ts';
import { insertInputRequest } from '../../../store/input-requests/input-requests.ts';
import { appendSessionEvent } from '../../../store/session-events/append.ts';
import { insertShare } from '../../../store/shares/shares.ts';
import { invalid } from '../../errors.ts';

/** Appends the event and, with it, what it announces: a question to the user, or a share. Throws 422 for a share of nothing. */
export async function publishEvent(db: Db, session: Session, event: EventReport): Promise<void> {
  const actor: Actor =
    event.type === 'platform.notice' ? systemActor : { type: 'agent', id: session.agent_id };
  await inTransaction(db, async (trx) => {
    await appendSessionEvent(trx, session.id, { ...event, actor });
    if (event.type === 'agent.input_requested') {
      const { input_request_id: id, prompt, options } = event.payload;
      await insertInputRequest(trx, session.id, { id, prompt, options });
    }
    if (event.type === 'agent.shared' && !(await insertShare(trx, session.id, event.payload))) {
      const message = 'there is no such artifact in this session';
      throw invalid([{ path: 'payload.artifact_id', code: 'unknown_reference', message }]);
    }
  });
}
