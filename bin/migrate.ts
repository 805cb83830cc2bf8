/** Brings the database of DATABASE_URL to the newest schema. */
import { migrate } from '../store/migrate.ts';
import { databaseVariables, onDatabase, runCommand } from './run-command.ts';

await runCommand(() =>
  onDatabase(
    databaseVariables,
    async (db) => {
      const { applied } = await migrate(db);
      console.log(applied.length === 0 ? 'The schema is current.' : `Applied:\n  ${applied.join('\n  ')}`);
    },
    { poolSize: 2 },
  ),
);
