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

/** As if it were made now. */
export async function touchPatchRequest(trx: Transaction, id: string): Promise<void> {
  await trx('patch_requests').where({ id }).update({ requested_at: trx.fn.now() });
}

/** Idempotent. */
export async function answerPatchRequest(db: Db, id: string): Promise<void> {
  await db('patch_requests').where({ id }).whereNull('answered_at').update({ answered_at: db.fn.now() });
}
