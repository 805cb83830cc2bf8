import type { Knex } from 'knex';
import { lineageOf } from './lineage.ts';

/**
 * Serialises transactions that write to several sessions of a tree: permission requests, messages between sessions, starts of children, and ends. Each
 * takes this lock before the row of any session below the root, so that none waits for another that waits for it. Returns the session and its
 * ancestors, root first.
 */
export async function lockTree(trx: Knex.Transaction, sessionId: string): Promise<string[]> {
  const lineage = await lineageOf(trx, sessionId);
  await trx('sessions')
    .where({ id: lineage[0] ?? sessionId })
    .forNoKeyUpdate()
    .select('id');
  return lineage;
}
