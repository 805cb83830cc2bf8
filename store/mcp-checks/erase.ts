import type { Db } from '../database.ts';

/** Removes checks that ended longer ago than that, with what their servers wrote and listed. Returns how many. */
export async function removeOldChecks(db: Db, { keptSeconds }: { keptSeconds: number }): Promise<number> {
  return db('mcp_checks').whereRaw('ended_at < now() - make_interval(secs => ?)', [keptSeconds]).delete();
}

/** Erases what another key than this one sealed. Returns how many texts it were. */
export async function eraseCheckTextsOfOtherKeys(db: Db, keyId: string): Promise<number> {
  return db('mcp_check_texts').whereNot('key_id', keyId).delete();
}
