import type { InputMessage } from '../../contract/agent-contract.ts';
import type { Db } from '../database.ts';
import { type InputRow, presentInput } from './row.ts';

/** What the agent is to read, in order. */
export async function listSessionInputs(
  db: Db,
  sessionId: string,
  { undeliveredOnly }: { undeliveredOnly: boolean },
): Promise<InputMessage[]> {
  const query = db<InputRow>('session_inputs').where({ session_id: sessionId }).orderBy('seq');
  if (undeliveredOnly) {
    query.whereNull('delivered_at');
  }
  return ((await query) as InputRow[]).map(presentInput);
}

/** The sidecar acknowledged everything up to `throughSeq`. */
export async function markInputsDelivered(db: Db, sessionId: string, throughSeq: number): Promise<void> {
  await db('session_inputs')
    .where({ session_id: sessionId })
    .where('seq', '<=', throughSeq)
    .whereNull('delivered_at')
    .update({ delivered_at: db.fn.now() });
}
