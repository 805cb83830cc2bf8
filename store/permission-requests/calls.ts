/**
 * The arguments of refused calls: sealed like secrets, each bound to its request; the name cannot collide
 * with a secret's. They are kept until a while after the decision, for those who decide.
 */

import * as z from 'zod';
import type { Db, Transaction } from '../database.ts';
import { readRow } from '../read-rows.ts';
import { type MasterKeys, openText, type SecretIdentity, seal } from '../secrets/envelope.ts';
import { columnsOf, sealedOf } from '../secrets/sealed-columns.ts';

interface CallKey {
  workspaceId: string;
  requestId: string;
}

const identityOf = ({ workspaceId, requestId }: CallKey): SecretIdentity => ({
  workspaceId,
  name: `refused-call/${requestId}`,
});

/** Seals and stores the arguments of a request's call. */
export async function storeCall(
  trx: Transaction,
  keys: MasterKeys,
  key: CallKey,
  argumentsText: string,
): Promise<void> {
  const identity = identityOf(key);
  const plaintext = Buffer.from(argumentsText);
  const sealed = seal(keys, identity, plaintext);
  plaintext.fill(0);
  await trx('permission_request_calls').insert({
    workspace_id: key.workspaceId,
    request_id: key.requestId,
    name: identity.name,
    ...columnsOf(sealed),
  });
}

const sealedCall = z.object({
  sealed_value: z.instanceof(Buffer),
  sealed_data_key: z.instanceof(Buffer),
  key_id: z.string(),
});

/**
 * The arguments, or null when they were erased. Throws UnreadableSecretError when the key
 * that sealed them is missing.
 */
export async function readCall(db: Db, keys: MasterKeys, key: CallKey): Promise<string | null> {
  const query = db('permission_request_calls')
    .where({ workspace_id: key.workspaceId, request_id: key.requestId })
    .first('sealed_value', 'sealed_data_key', 'key_id');
  const row = await readRow(query, sealedCall);
  return row === null ? null : openText(keys, identityOf(key), sealedOf(row));
}

/**
 * Erases the arguments of requests that were decided on, or closed otherwise, more than
 * `keptSeconds` ago. Returns how many.
 */
export async function eraseOldCalls(db: Db, { keptSeconds }: { keptSeconds: number }): Promise<number> {
  const closed = db('permission_requests').whereRaw('decided_at < now() - make_interval(secs => ?)', [
    keptSeconds,
  ]);
  return db('permission_request_calls')
    .whereIn('request_id', closed.whereRaw('id = permission_request_calls.request_id').select('id'))
    .delete();
}
