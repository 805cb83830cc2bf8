/** Changes of grants that are there, but for the check of a call, which is one statement of its own. */
import * as z from 'zod';
import type { StoredGrant } from '../../contract/grant.ts';
import type { Transaction } from '../database.ts';
import { readRow } from '../read-rows.ts';
import { isInTime, revokeKey } from './fitting-grant.ts';
import { grantColumns, presentStoredGrant } from './row.ts';

/** One grant, all that a user holds in a workspace, or as many of a workspace. */
export type GrantsToRevoke =
  | { id: string }
  | { workspaceId: string; userId: string }
  | { workspaceId: string; limit: number };

/** Revokes those that are active, and returns them. */
export async function revokeActiveGrants(trx: Transaction, which: GrantsToRevoke): Promise<StoredGrant[]> {
  const ids = await idsOf(trx, which);
  if (ids.length === 0) {
    return [];
  }
  await trx('active_grants')
    .whereIn('id', ids)
    .orderBy('id')
    .select(trx.raw(`pg_advisory_xact_lock(${revokeKey('id')})`));
  const rows = await trx('active_grants')
    .whereIn('id', ids)
    .update({ revoked_at: trx.fn.now() })
    .returning(grantColumns);
  return rows.map(presentStoredGrant);
}

async function idsOf(trx: Transaction, which: GrantsToRevoke): Promise<string[]> {
  if ('id' in which) {
    return [which.id];
  }
  const ofWorkspace = trx('active_grants').where({ workspace_id: which.workspaceId });
  return 'userId' in which
    ? ofWorkspace.where({ user_subject_id: which.userId }).pluck('id')
    : ofWorkspace.orderBy('id').limit(which.limit).pluck('id');
}

/** Whether a use with this id was recorded, of a grant that was neither revoked since nor has expired. */
export async function isUsed(trx: Transaction, useId: string): Promise<boolean> {
  const prior = trx('grant_uses as u')
    .join('grants as g', 'g.id', 'u.grant_id')
    .where('u.call_id', useId)
    .whereNull('g.revoked_at')
    .whereRaw(isInTime('g'))
    .first('u.call_id');
  return (await readRow(prior, z.object({ call_id: z.string() }))) !== null;
}

/**
 * Locks a grant and rechecks it, after any wait; false when it was revoked, was consumed
 * or has expired meanwhile.
 */
export async function lockActiveGrant(trx: Transaction, id: string): Promise<boolean> {
  await trx('active_grants').where({ id }).forShare().first('id');
  return (await trx('active_grants').where({ id }).first('id')) !== undefined;
}

/** Consumes a `once` grant; false when it was revoked or consumed meanwhile. */
export async function consumeGrant(trx: Transaction, id: string): Promise<boolean> {
  return (await trx('active_grants').where({ id }).update({ consumed_at: trx.fn.now() })) > 0;
}

/**
 * Records a use of a grant: of a tool, or, without a server, of the secret that its
 * session's agent was given.
 */
export async function insertGrantUse(
  trx: Transaction,
  use: { id: string; grantId: string; sessionId: string; server: string; tool: string },
): Promise<void> {
  await trx('grant_uses')
    .insert({
      call_id: use.id,
      grant_id: use.grantId,
      session_id: use.sessionId,
      server: use.server,
      tool: use.tool,
    })
    .onConflict('call_id')
    .ignore();
}
