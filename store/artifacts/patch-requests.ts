/** Requests for the patch of a session that runs: one of a session is open at a time. */
import * as z from 'zod';
import { timestamp, uuid } from '../../contract/names.ts';
import type { Db, Transaction } from '../database.ts';
import { onlyRow, readRow, readRows } from '../read-rows.ts';

export const patchRequest = z.strictObject({ id: uuid, requested_at: timestamp });
export type PatchRequest = z.infer<typeof patchRequest>;

const columns = ['id', 'requested_at'] as const;

/** The one that is not answered yet, or null. */
export const readOpenPatchRequest = (db: Db, sessionId: string): Promise<PatchRequest | null> =>
  readRow(
    db('patch_requests').where({ session_id: sessionId }).whereNull('answered_at').first(columns),
    patchRequest,
  );

/** Whether one was made within so many seconds. */
export async function wasPatchRequestedWithin(db: Db, sessionId: string, seconds: number): Promise<boolean> {
  const row = await db('patch_requests')
    .where({ session_id: sessionId })
    .whereRaw('requested_at > now() - make_interval(secs => ?)', [seconds])
    .first('id');
  return row !== undefined;
}

/** While the session's row is locked, and none is open. */
export async function insertPatchRequest(
  trx: Transaction,
  { sessionId, userId }: { sessionId: string; userId: string },
): Promise<PatchRequest> {
  const query = trx('patch_requests')
    .insert({ session_id: sessionId, requested_by: userId })
    .returning(columns);
  return onlyRow(await readRows(query, patchRequest));
}

/**
 * Whether its session's workflow is to be told once more, as after so many seconds; then it counts as told.
 */
export async function tellPatchRequestAgain(trx: Transaction, id: string, seconds: number): Promise<boolean> {
  const told = await trx('patch_requests')
    .where({ id })
    .whereRaw(isUntold, [seconds])
    .update({ told_at: trx.fn.now() });
  return told > 0;
}

/** The sessions whose workflows are to be told once more; these requests then count as told. */
export const tellPatchRequestsAgain = async (db: Db, seconds: number): Promise<string[]> => {
  const statement = db.raw(
    `update patch_requests set told_at = now() where ${isUntold}
       and session_id in (select id from sessions where status = 'running')
     returning session_id`,
    [seconds],
  );
  return (await readRows(statement, z.object({ session_id: uuid }))).map(({ session_id }) => session_id);
};

const isUntold = 'answered_at is null and told_at < now() - make_interval(secs => ?)';

/** Of a session that ends: its patch at the end is the answer. */
export async function answerPatchRequestOfSession(trx: Transaction, sessionId: string): Promise<void> {
  await trx('patch_requests')
    .where({ session_id: sessionId })
    .whereNull('answered_at')
    .update({ answered_at: trx.fn.now() });
}

/** Idempotent. */
export async function answerPatchRequest(db: Db, id: string): Promise<void> {
  await db('patch_requests').where({ id }).whereNull('answered_at').update({ answered_at: db.fn.now() });
}
