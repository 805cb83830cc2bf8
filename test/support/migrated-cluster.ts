/**
 * The files of a Postgres whose database is migrated, to be copied into the data directory of a new platform:
 * `initdb` and all migrations take as much processor time as everything else of its start.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { constants, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { cp, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { loadOrCreateKeys } from '../../bin/start/keys.ts';
import { startPostgres } from '../../bin/start/postgres.ts';
import { asOrdinaryUser, findPostgresBinaries } from '../../bin/start/postgres-binaries.ts';
import { openDatabase } from '../../store/database.ts';
import { migrate } from '../../store/migrate.ts';
import { whileLocked } from './machine-lock.ts';

const clusters = resolve('.cache/test/clusters');
/** Of the files that are kept. Each copy for a platform gets a password of its own. */
export const clusterPassword = 'test';

/**
 * Gives a data directory keys of its own, as a first start does, and a migrated
 * database that only these open.
 */
export async function placeMigratedCluster(dataDirectory: string): Promise<void> {
  const data = join(dataDirectory, 'postgres/data');
  const keys = loadOrCreateKeys(dataDirectory);
  await copyMigratedCluster(data);
  await setPassword(data, keys.postgres_password);
}

/** Copies the files, whole or not at all, to where nothing is yet; their database is `platform`. */
export async function copyMigratedCluster(data: string): Promise<void> {
  const unfinished = `${data}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  mkdirSync(dirname(data), { recursive: true, mode: 0o700 });
  await copyFiles(await migratedCluster(), unfinished);
  await rename(unfinished, data);
}

/** Names the state of all migrations. */
export function hashOfMigrations(): string {
  const hash = createHash('sha256');
  for (const file of readdirSync('migrations').sort()) {
    hash.update(file).update(readFileSync(join('migrations', file)));
  }
  return hash.digest('hex').slice(0, 16);
}

/** Makes it where it is missing; those of other states are removed. */
async function migratedCluster(): Promise<string> {
  const hash = createHash('sha256').update(hashOfMigrations());
  // The lock file names the version of Postgres.
  for (const file of ['package-lock.json', 'bin/start/postgres.ts']) {
    hash.update(readFileSync(file));
  }
  const kept = join(clusters, hash.digest('hex').slice(0, 16));
  mkdirSync(clusters, { recursive: true, mode: 0o700 });
  await whileLocked(`${clusters}.lock`, async () => {
    if (!existsSync(kept)) {
      for (const name of readdirSync(clusters)) {
        await rm(join(clusters, name), { recursive: true, force: true });
      }
      await make(kept);
    }
  });
  return kept;
}

/** Renamed at the end: there is a whole one or none. */
async function make(kept: string): Promise<void> {
  const directory = mkdtempSync(join(clusters, 'unfinished-'));
  const postgres = await startPostgres({ directory, password: clusterPassword, settings: { fsync: 'off' } });
  try {
    const db = openDatabase(postgres.url(), { poolSize: 2 });
    await migrate(db).finally(() => db.destroy());
  } finally {
    await postgres.stop();
  }
  await rename(join(directory, 'data'), kept);
  await rm(directory, { recursive: true, force: true });
}

const copyFiles = (from: string, to: string): Promise<void> =>
  cp(from, to, { recursive: true, mode: constants.COPYFILE_FICLONE, preserveTimestamps: true });

/** Postgres without a server, which asks for no password. */
async function setPassword(data: string, value: string): Promise<void> {
  const { postgres } = await findPostgresBinaries();
  const [command, args] = asOrdinaryUser(postgres, ['--single', '-D', data, '-F', 'postgres']);
  const child = spawn(command, args, { stdio: ['pipe', 'ignore', 'pipe'] });
  child.stdin.end(`alter role platform password '${value}'\n`);
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk;
  });
  const code = await new Promise((done) => child.once('close', done));
  if (code !== 0 || /ERROR|FATAL/.test(said)) {
    throw new Error(`the password of the database was not set: ${said}`);
  }
}
