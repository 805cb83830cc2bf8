/** The requested ending of a session: the first one wins, the workflow carries it out. */
import * as z from 'zod';
import { terminalStatus } from '../../contract/session.ts';
import { actor } from '../../contract/session-event.ts';
import type { Db } from '../database.ts';

export const requestedEnding = z.strictObject({
  by: actor,
  status: terminalStatus,
  reason: z.string(),
  summary: z.string().nullable(),
});
export type RequestedEnding = z.infer<typeof requestedEnding>;

/** Set once: later requests, and requests for a session that has ended, change nothing. */
export async function requestEnding(db: Db, id: string, ending: RequestedEnding): Promise<void> {
  await db('sessions')
    .where({ id })
    .whereNull('requested_ending')
    .whereNull('ended_at')
    .update({ requested_ending: JSON.stringify(requestedEnding.parse(ending)) });
}

export async function readRequestedEnding(db: Db, id: string): Promise<RequestedEnding | null> {
  const row = await db('sessions').where({ id }).first('requested_ending');
  return row?.requested_ending == null ? null : requestedEnding.parse(row.requested_ending);
}
