import * as z from 'zod';
import type { Db } from '../database.ts';
import { readRow } from '../read-rows.ts';

/** The version of a server's catalog entry that the session froze; null for a server that it does not have. */
export async function readFrozenVersion(db: Db, sessionId: string, server: string): Promise<number | null> {
  const query = db('session_configurations')
    .where({ session_id: sessionId })
    .joinRaw(`cross join lateral jsonb_array_elements(configuration -> 'servers') as server`)
    .whereRaw(`server ->> 'name' = ?`, [server])
    .first(db.raw(`server -> 'entry_version' as version`));
  const row = await readRow(query, z.object({ version: z.int().positive().nullable() }));
  return row?.version ?? null;
}
