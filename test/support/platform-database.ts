/** The database of a platform that runs, as its API reaches it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Db, openDatabase } from '../../store/database.ts';
import type { Platform } from './platform.ts';
import { environmentOf } from './processes.ts';

/** Runs `work` on a connection of its own. Throws when the API does not run. */
export async function withPlatformDatabase<Result>(
  { dataDirectory }: Pick<Platform, 'dataDirectory'>,
  work: (db: Db) => Promise<Result>,
): Promise<Result> {
  const { pid } = JSON.parse(readFileSync(join(dataDirectory, 'api.json'), 'utf8'));
  const variables = (await environmentOf(pid)).split('\0');
  const url = variables.find((entry) => entry.startsWith('DATABASE_URL='));
  if (url === undefined) {
    throw new Error('the API of the platform does not run');
  }
  const db = openDatabase(url.slice('DATABASE_URL='.length), { poolSize: 1 });
  try {
    return await work(db);
  } finally {
    await db.destroy();
  }
}
