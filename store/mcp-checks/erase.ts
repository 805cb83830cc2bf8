import type { Db, Transaction } from '../database.ts';

/** With their outputs and listings: at most some tens of megabytes per workspace. */
const maxEndedChecks = 100;

/** Removes all but the newest checks of a workspace that have ended. */
export async function removeSurplusChecks(trx: Transaction, workspaceId: string): Promise<void> {
  const ended = () => trx('mcp_checks').where({ workspace_id: workspaceId }).whereNotNull('ended_at');
  const newest = ended().orderBy('ended_at', 'desc').limit(maxEndedChecks).select('id');
  await ended().whereNotIn('id', newest).delete();
}

/** Removes checks that ended longer than `keptSeconds` ago, with their servers' output and listings. Returns how many. */
export async function removeOldChecks(db: Db, { keptSeconds }: { keptSeconds: number }): Promise<number> {
  return db('mcp_checks').whereRaw('ended_at < now() - make_interval(secs => ?)', [keptSeconds]).delete();
}

/** Erases texts sealed with any other key. Returns how many. */
export async function eraseCheckTextsOfOtherKeys(db: Db, keyId: string): Promise<number> {
  return db('mcp_check_texts').whereNot('key_id', keyId).delete();
}
