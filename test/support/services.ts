/**
 * The one Postgres and the one Temporal server that all test runs on this machine share. The first run starts
 * them, the last one stops them.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { startPostgres } from '../../bin/start/postgres.ts';
import { startTemporal } from '../../bin/start/temporal.ts';
import { openDatabase } from '../../store/database.ts';
import { migrate } from '../../store/migrate.ts';
import { whileLocked } from './machine-lock.ts';
import { memoryDirectory } from './memory-directory.ts';
import { clusterPassword, copyMigratedCluster, hashOfMigrations } from './migrated-cluster.ts';
import { pgvectorSettings } from './pgvector.ts';
import { temporalProgram } from './temporal-program.ts';
import { beginTestRun, endTestRun, otherTestRuns } from './test-runs.ts';

const directory = resolve('.cache/test');
const lock = join(directory, 'lock');
/** One for each checkout. */
const data = join(
  memoryDirectory(),
  `gatepost-tests-${createHash('sha256').update(directory).digest('hex').slice(0, 16)}`,
);
/** Protects databases with only test data, on the loopback address. */
const password = clusterPassword;

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
    const files = join(data, 'postgres/data');
    const isFresh = !existsSync(files);
    if (isFresh) {
      await copyMigratedCluster(files);
    }
    const postgres = await startPostgres({ directory: join(data, 'postgres'), password, settings });
    const template = await ensureTemplate(postgres.url('postgres'), { first, isFresh });
    const temporal = await startTemporal({
      program: temporalProgram(),
      directory: join(data, 'temporal'),
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
      directory: join(data, 'temporal'),
      hasUi: false,
    });
    await temporal.stop();
    const postgres = await startPostgres({ directory: join(data, 'postgres'), password });
    await postgres.stop();
    rmSync(data, { recursive: true, force: true });
  });
}

/**
 * A migrated database to copy, one for each state of the migrations. The first run drops what killed runs
 * left; a fresh server has one already.
 */
async function ensureTemplate(
  url: string,
  { first, isFresh }: { first: boolean; isFresh: boolean },
): Promise<string> {
  const template = `template_${hashOfMigrations()}`;
  const db = openDatabase(url, { poolSize: 1 });
  try {
    const names: string[] = await db('pg_database').pluck('datname');
    for (const name of names) {
      if (first && (name.startsWith('test_') || (name.startsWith('template_') && name !== template))) {
        await db.raw('drop database ?? with (force)', [name]);
      }
    }
    if (isFresh) {
      await db.raw('alter database platform rename to ??', [template]);
    } else if (!names.includes(template)) {
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
