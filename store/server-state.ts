/** The database server itself, apart from what is in it. */
import * as z from 'zod';
import type { Db } from './database.ts';
import { onlyRow, readRows } from './read-rows.ts';

/** Throws when the server does not answer. */
export async function requireAnswer(db: Db): Promise<void> {
  await db.raw('select 1');
}

/** The version as the server names it. */
export async function readServerVersion(db: Db): Promise<string> {
  const rows = await readRows(db.raw('show server_version'), z.object({ server_version: z.string() }));
  return onlyRow(rows).server_version;
}
