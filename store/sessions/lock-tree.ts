import type { Knex } from 'knex';
import { lineageOf } from './lineage.ts';

/**
 * Serialises transactions that open or close permission requests in a tree of sessions.
 * Returns the session and its ancestors, root first.
 */
export async function lockTree(trx: Knex.Transaction, sessionId: string): Promise<string[]> {
  const lineage = await lineageOf(trx, sessionId);
  await trx('sessions')
    .where({ id: lineage[0] ?? sessionId })
    .forNoKeyUpdate()
    .select('id');
  return lineage;
}
