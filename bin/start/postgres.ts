/**
 * The embedded Postgres: listens on the loopback address only, asks for a password, survives a killed
 * start-up, and is adopted by the next one.
 */
import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  identify,
  isRunning,
  type ProcessIdentity,
  stopProcess,
} from '../../runtime/process/process-identity.ts';
import { openDatabase } from '../../store/database.ts';
import { chooseFreePort } from './free-port.ts';
import { asOrdinaryUser, findPostgresBinaries, readableFailure, runToEnd } from './postgres-binaries.ts';
import { messageOf, StartError } from './start-error.ts';

export interface PostgresOptions {
  /** Holds `data/` and `postgres.log`; made when it is missing. */
  directory: string;
  password: string;
  /** Preferred port; another one is chosen when it is taken. */
  preferredPort?: number;
  /** `-c name=value` settings beside our own. */
  settings?: Record<string, string>;
}

export interface RunningPostgres {
  /** URL of the database `platform`, or of the one named. */
  url(database?: string): string;
  process: ProcessIdentity;
  port: number;
  /** True when it already ran. */
  adopted: boolean;
  stop(): Promise<void>;
}

const startTimeoutMs = 60_000;
const user = 'platform';

/**
 * Starts Postgres on its data directory, which it creates when missing. Throws StartError with what to do.
 */
export async function startPostgres(options: PostgresOptions): Promise<RunningPostgres> {
  const data = join(options.directory, 'data');
  await mkdir(options.directory, { recursive: true, mode: 0o700 });
  const leftover = await adoptOrStop(data, options);
  if (leftover !== null) {
    return leftover;
  }
  if (!existsSync(join(data, 'PG_VERSION'))) {
    await initialise(data, options);
  }
  return launch(data, options);
}

/**
 * Created under a temporary name and renamed at the end, so that an interrupted start
 * leaves nothing incomplete.
 */
async function initialise(data: string, options: PostgresOptions): Promise<void> {
  const { initdb } = await findPostgresBinaries();
  const unfinished = `${data}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  const passwordFile = join(options.directory, '.initial-password');
  await writeFile(passwordFile, options.password, { mode: 0o600 });
  try {
    const locale = ['--encoding=UTF8', '--locale-provider=builtin', '--locale=C.UTF-8'];
    await runToEnd(
      initdb,
      ['-D', unfinished, '-U', user, '--auth=scram-sha-256', `--pwfile=${passwordFile}`, ...locale],
      'Making the database',
    );
    await rename(unfinished, data);
  } finally {
    await rm(passwordFile, { force: true });
  }
}

async function launch(data: string, options: PostgresOptions): Promise<RunningPostgres> {
  const { postgres } = await findPostgresBinaries();
  const port = await chooseFreePort(options.preferredPort);
  const settings = { listen_addresses: '127.0.0.1', unix_socket_directories: '', port, ...options.settings };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const [command, args] = asOrdinaryUser(postgres, ['-D', data, ...flags]);
  const logFile = join(options.directory, 'postgres.log');
  const log = openSync(logFile, 'w', 0o600);
  // Its own process group: Ctrl-C reaches us only, and we stop it last.
  const child = spawn(command, args, { detached: true, stdio: ['ignore', log, log] });
  closeSync(log);
  child.on('error', () => undefined);
  child.unref();
  const identity = child.pid === undefined ? null : identify(child.pid);
  const deadline = Date.now() + startTimeoutMs;
  while (identity !== null && isRunning(identity) && Date.now() < deadline) {
    if (readPostmasterFile(data)?.ready === true && (await answers(port, options.password, data))) {
      return running(identity, port, options.password, false);
    }
    await sleep(25);
  }
  if (identity !== null) {
    await stop(identity);
  }
  throw new StartError(`Postgres did not start: ${readableFailure(readFileSync(logFile, 'utf8'))}`);
}

/** Deals with a server that still runs on this data directory, as after `kill -9` of a start-up. */
async function adoptOrStop(data: string, options: PostgresOptions): Promise<RunningPostgres | null> {
  const noted = readPostmasterFile(data);
  const identity = noted === null ? null : identify(noted.pid);
  if (noted === null || identity === null || !isOurServer(identity.pid, data)) {
    return null;
  }
  const deadline = Date.now() + 5_000;
  do {
    if (readPostmasterFile(data)?.ready === true && (await answers(noted.port, options.password, data))) {
      return running(identity, noted.port, options.password, true);
    }
    await sleep(100);
  } while (isRunning(identity) && Date.now() < deadline);
  await stop(identity);
  return null;
}

/** postmaster.pid: process id on line 1, port on line 4, state on line 8. */
function readPostmasterFile(data: string): { pid: number; port: number; ready: boolean } | null {
  try {
    const lines = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n');
    const [pid, port] = [Number(lines[0]), Number(lines[3])];
    const ready = lines[7]?.trim() === 'ready';
    return Number.isInteger(pid) && pid > 1 && Number.isInteger(port) ? { pid, port, ready } : null;
  } catch {
    return null;
  }
}

/** The process id may have been reused since; a server on our data names it in its arguments. */
function isOurServer(pid: number, data: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(data);
  } catch {
    return process.platform !== 'linux';
  }
}

/** True when the server on this port accepts our password and serves this very data directory. */
async function answers(port: number, password: string, data: string): Promise<boolean> {
  const db = openDatabase(urlOf(port, password, 'postgres'), { poolSize: 1 });
  try {
    const { rows } = await db.raw('show data_directory');
    if (rows[0]?.data_directory !== data) {
      throw new StartError(`Another Postgres answers on port ${port}`);
    }
    await db.raw('create database platform').catch(() => undefined);
    return true;
  } catch (error) {
    if (/password authentication failed/.test(messageOf(error))) {
      throw new StartError(
        'The embedded Postgres does not accept the password of keys.json: data and keys do not belong together.',
      );
    }
    return false;
  } finally {
    await db.destroy();
  }
}

function urlOf(port: number, password: string, database: string): string {
  return `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`;
}

function running(
  identity: ProcessIdentity,
  port: number,
  password: string,
  adopted: boolean,
): RunningPostgres {
  return {
    url: (database = 'platform') => urlOf(port, password, database),
    process: identity,
    port,
    adopted,
    stop: () => stop(identity),
  };
}

/**
 * Postgres: SIGINT is a fast shutdown, SIGQUIT an immediate one that recovers from its log at the next start.
 */
function stop(identity: ProcessIdentity): Promise<void> {
  return stopProcess(identity, [
    { signal: 'SIGINT', waitMs: 10_000 },
    { signal: 'SIGQUIT', waitMs: 5_000 },
  ]);
}
