/**
 * The one Postgres and the one Temporal server that all test runs on this machine share. The first run starts
 * them, the last one stops them.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { startPostgres } from '../../bin/start/postgres.ts';
import { startTemporal } from '../../bin/start/temporal.ts';
import { openDatabase } from '../../store/database.ts';
import { migrate } from '../../store/migrate.ts';
import { whileLocked } from './machine-lock.ts';
import { hashOfMigrations } from './migrated-cluster.ts';
import { pgvectorSettings } from './pgvector.ts';
import { temporalProgram } from './temporal-program.ts';
import { beginTestRun, endTestRun, otherTestRuns } from './test-runs.ts';

const directory = resolve('.cache/test');
const lock = join(directory, 'lock');
/** Protects databases with only test data, on the loopback address. */
const password = 'test';

export async function acquireServices(): Promise<void> {
  mkdirSync(directory, { recursive: true });
  await whileLocked(lock, async () => {
    beginTestRun();
    const first = otherTestRuns().length === 0;
    const settings = {
      fsync: 'off',
      synchronous_commit: 'off',
      full_page_writes: 'off',
      max_connections: '300',
      ...pgvectorSettings,
    };
    const postgres = await startPostgres({ directory: join(directory, 'postgres'), password, settings });
    const template = await ensureTemplate(postgres.url('postgres'), first);
    const temporal = await startTemporal({
      program: temporalProgram(),
      directory: join(directory, 'temporal'),
      hasUi: false,
      isForTests: true,
    });
    process.env['TEST_POSTGRES_URL'] = postgres.url('postgres');
    process.env['TEST_TEMPLATE'] = template;
    process.env['TEST_TEMPORAL_ADDRESS'] = temporal.address;
  });
}

export async function releaseServices(): Promise<void> {
  await whileLocked(lock, async () => {
    endTestRun();
    if (otherTestRuns().length > 0) {
      return;
    }
    const temporal = await startTemporal({
      program: temporalProgram(),
      directory: join(directory, 'temporal'),
      hasUi: false,
    });
    await temporal.stop();
    rmSync(join(directory, 'temporal'), { recursive: true, force: true });
    const postgres = await startPostgres({ directory: join(directory, 'postgres'), password });
    await postgres.stop();
  });
}

/**
 * A migrated database to copy, one for each state of the migrations. The first run
 * drops what killed runs left.
 */
async function ensureTemplate(url: string, first: boolean): Promise<string> {
  const template = `template_${hashOfMigrations()}`;
  const db = openDatabase(url, { poolSize: 1 });
  try {
    const names: string[] = await db('pg_database').pluck('datname');
    for (const name of names) {
      if (first && (name.startsWith('test_') || (name.startsWith('template_') && name !== template))) {
        await db.raw('drop database ?? with (force)', [name]);
      }
    }
    if (!names.includes(template)) {
      const unfinished = `${template}_unfinished`;
      await db.raw('drop database if exists ?? with (force)', [unfinished]);
      await db.raw('create database ??', [unfinished]);
      const fresh = openDatabase(url.replace(/\/postgres$/, `/${unfinished}`), { poolSize: 2 });
      await migrate(fresh).finally(() => fresh.destroy());
      await db.raw('alter database ?? rename to ??', [unfinished, template]);
    }
    return template;
  } finally {
    await db.destroy();
  }
}
