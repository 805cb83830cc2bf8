/** Brings the database of DATABASE_URL to the newest schema. */
import * as z from 'zod';
import { ConfigurationError, databaseUrl, parseEnvironment } from '../config/parse.ts';
import { openDatabase } from '../store/database.ts';
import { migrate } from '../store/migrate.ts';
import { UnusableDatabaseError } from '../store/usable-server.ts';
import { readEnvironment } from './read-environment.ts';

try {
  const { DATABASE_URL } = parseEnvironment(z.object({ DATABASE_URL: databaseUrl }), readEnvironment());
  const db = openDatabase(DATABASE_URL, { poolSize: 2 });
  const { applied } = await migrate(db).finally(() => db.destroy());
  console.log(applied.length === 0 ? 'The schema is current.' : `Applied:\n  ${applied.join('\n  ')}`);
} catch (error) {
  const isForeseen = error instanceof ConfigurationError || error instanceof UnusableDatabaseError;
  console.error(isForeseen ? error.message : error);
  process.exitCode = 1;
}
