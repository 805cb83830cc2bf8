import { expect, it } from '@jest/globals';
import { migrationSource } from '../../../migrations/index.ts';
import { migrate } from '../../../store/migrate.ts';
import { requireCurrentSchema } from '../../../store/usable-server.ts';
import { createEmptyDatabase } from '../../support/database.ts';

it('continues even if a process was killed while migrating, which nothing takes back', async () => {
  const { db, drop } = await createEmptyDatabase();
  const names = await migrationSource.getMigrations([]);
  const [first = '', ...others] = names;
  await db.migrate.up({ name: first });
  await db('migrations_lock').update({ is_locked: 1 });
  expect(await migrate(db)).toEqual({ applied: others });
  await expect(db.migrate.rollback()).rejects.toThrow('restore the backup');
  await requireCurrentSchema(db);
  await drop();
});

it('is migrated once by several concurrent processes', async () => {
  const { db, drop } = await createEmptyDatabase();
  const runs = await Promise.all([migrate(db), migrate(db), migrate(db)]);
  const applied = runs.map((run) => run.applied.length).sort((a, b) => a - b);
  expect(applied).toEqual([0, 0, (await migrationSource.getMigrations([])).length]);
  await requireCurrentSchema(db);
  await drop();
});
