/** Brings the database of DATABASE_URL to the newest schema. */
import * as z from 'zod';
import { databaseUrl, parseEnvironment } from '../config/parse.ts';
import { openDatabase } from '../store/database.ts';
import { migrate } from '../store/migrate.ts';
import { readEnvironment } from './read-environment.ts';
import { isForeseen } from './report-failure.ts';

try {
  const { DATABASE_URL } = parseEnvironment(z.object({ DATABASE_URL: databaseUrl }), readEnvironment());
  const db = openDatabase(DATABASE_URL, { poolSize: 2 });
  const { applied } = await migrate(db).finally(() => db.destroy());
  console.log(applied.length === 0 ? 'The schema is current.' : `Applied:\n  ${applied.join('\n  ')}`);
} catch (error) {
  console.error(isForeseen(error) ? error.message : error);
  process.exitCode = 1;
}
