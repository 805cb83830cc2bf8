/** The database of a platform that runs, as its API reaches it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Db, openDatabase } from '../../store/database.ts';
import type { Platform } from './platform.ts';
import { environmentOf } from './processes.ts';

/** A variable that the API of a platform was started with. Throws when it does not run. */
export async function apiVariable(
  { dataDirectory }: Pick<Platform, 'dataDirectory'>,
  name: string,
): Promise<string> {
  const { pid } = JSON.parse(readFileSync(join(dataDirectory, 'api.json'), 'utf8'));
  const variables = (await environmentOf(pid)).split('\0');
  const found = variables.find((entry) => entry.startsWith(`${name}=`));
  if (found === undefined) {
    throw new Error('the API of the platform does not run');
  }
  return found.slice(name.length + 1);
}

/** Runs `work` on a connection of its own. Throws when the API does not run. */
export async function withPlatformDatabase<Result>(
  platform: Pick<Platform, 'dataDirectory'>,
  work: (db: Db) => Promise<Result>,
): Promise<Result> {
  const db = openDatabase(await apiVariable(platform, 'DATABASE_URL'), { poolSize: 1 });
  try {
    return await work(db);
  } finally {
    await db.destroy();
  }
}
