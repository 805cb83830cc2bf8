import type { InputMessage } from '../../contract/agent-contract.ts';
import { readBoundedRows } from '../bounded-rows.ts';
import type { Db } from '../database.ts';
import { inputRow, presentInput } from './row.ts';

/** Limits of one answer or delivery; a sidecar accepts answers of twice as many bytes. */
const batch = { limit: 100, maxBytes: 2 * 1024 * 1024 };

/** The next messages for the agent with `seq` above `after`, in order, as many as one delivery carries. Empty when there are none. */
export async function listSessionInputs(
  db: Db,
  sessionId: string,
  { after }: { after: number },
): Promise<InputMessage[]> {
  const query = db('session_inputs').where({ session_id: sessionId }).where('seq', '>', after).orderBy('seq');
  return (await readBoundedRows(db, query, inputRow, batch)).rows.map(presentInput);
}

/** Whether the session's agent was ever sent a message. */
export async function hasSessionInputs(db: Db, sessionId: string): Promise<boolean> {
  return (await db('session_inputs').where({ session_id: sessionId }).first('seq')) !== undefined;
}
