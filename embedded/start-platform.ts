/** Starts the parts of the embedded default in order, and stops them in the reverse one (design 14). */
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { StartConfig } from '../config/start.ts';
import { migrate, openDatabase } from '../store/database.ts';
import { claimDataDirectory } from './data-directory.ts';
import { endSessions } from './end-sessions.ts';
import { chooseFreePort, isPortFree } from './free-port.ts';
import { loadOrCreateKeys, type PlatformKeys } from './keys.ts';
import { startPostgres } from './postgres.ts';
import { processEnvironments } from './process-environments.ts';
import { seedDemo, type WaitingDemo } from './seed-demo.ts';
import { messageOf, StartError } from './start-error.ts';
import { type SupervisedProcess, stopLeftover, supervise } from './supervised-process.ts';
import { startTemporal } from './temporal.ts';

export interface StartOptions {
  config: StartConfig;
  /** The project: `dist/` and `runner/` are below it. */
  root: string;
  /** The `temporal` program; needed unless the configuration names a server. */
  temporalProgram: string | undefined;
  environment: Record<string, string | undefined>;
  /** One line for each thing that happened. */
  progress(line: string): void;
  /** Ends the start-up where it is; what was started is stopped again. */
  signal: AbortSignal;
}

export interface StartedPlatform {
  url: string;
  temporalUiUrl: string | null;
  dataDirectory: string;
  demo: WaitingDemo;
  stop(): Promise<void>;
}

type Undo = (() => Promise<void> | void)[];

const healthTimeoutMs = 60_000;

/** Throws StartError, after everything that it started was stopped again. */
export async function startPlatform(options: StartOptions): Promise<StartedPlatform> {
  const undo: Undo = [];
  const stop = async () => {
    for (const step of undo.splice(0).reverse()) {
      await step();
    }
  };
  try {
    return { ...(await startParts(options, undo)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startParts(options: StartOptions, undo: Undo): Promise<Omit<StartedPlatform, 'stop'>> {
  const { config, progress, signal } = options;
  const data = resolve(config.DATA_DIR);
  undo.push(claimDataDirectory(data));
  for (const name of ['worker', 'api']) {
    await stopLeftover(data, name);
  }
  const keys = loadOrCreateKeys(data);
  const port = await choosePort(config.PORT);

  const databaseUrl = await provideDatabase(options, data, keys, undo);
  signal.throwIfAborted();
  const temporal = await provideTemporal(options, data, undo);
  signal.throwIfAborted();

  const db = openDatabase(databaseUrl, { poolSize: 4 });
  undo.push(() => db.destroy());
  const { applied } = await migrate(db).catch((cause: unknown) => {
    throw new StartError(`The database cannot be migrated: ${messageOf(cause)}`, { cause });
  });
  progress(
    applied.length === 0 ? 'Database schema is current' : `Database schema: ${applied.length} migrations`,
  );

  const addresses = { port, databaseUrl, ...temporal, temporalNamespace: config.TEMPORAL_NAMESPACE };
  await startPrograms(options, { data, keys, addresses, db }, undo);
  signal.throwIfAborted();
  const url = `http://127.0.0.1:${port}`;
  const demo = await seedDemo({ db, url, signal });
  progress('Demo workspace is ready');
  return { url, temporalUiUrl: temporal.temporalUiUrl, dataDirectory: data, demo };
}

/** Port 0 asks for any free one. */
async function choosePort(port: number): Promise<number> {
  if (port === 0) {
    return chooseFreePort();
  }
  if (!(await isPortFree(port))) {
    throw new StartError(
      `Port ${port} is taken. Set PORT to another one, for example: PORT=${port + 1} npm start`,
    );
  }
  return port;
}

async function provideDatabase(
  { config, progress }: StartOptions,
  data: string,
  keys: PlatformKeys,
  undo: Undo,
): Promise<string> {
  if (config.DATABASE_URL !== undefined) {
    progress('Postgres: the one of DATABASE_URL');
    return config.DATABASE_URL;
  }
  const postgres = await startPostgres({
    directory: join(data, 'postgres'),
    password: keys.postgres_password,
  });
  undo.push(postgres.stop);
  progress(`Postgres ${postgres.adopted ? 'still runs' : 'runs'} on port ${postgres.port}`);
  return postgres.url();
}

async function provideTemporal(
  { config, temporalProgram, progress }: StartOptions,
  data: string,
  undo: Undo,
): Promise<{ temporalAddress: string; temporalUiUrl: string | null }> {
  if (config.TEMPORAL_ADDRESS !== undefined) {
    progress('Temporal: the one of TEMPORAL_ADDRESS');
    return { temporalAddress: config.TEMPORAL_ADDRESS, temporalUiUrl: null };
  }
  if (temporalProgram === undefined) {
    throw new StartError('The set-up has not provided a Temporal server yet. Run npm start.');
  }
  const temporal = await startTemporal({
    program: temporalProgram,
    directory: join(data, 'temporal'),
    uiPort: config.TEMPORAL_UI_PORT,
  });
  undo.push(temporal.stop);
  progress(`Temporal ${temporal.adopted ? 'still runs' : 'runs'} on ${temporal.address}`);
  return { temporalAddress: temporal.address, temporalUiUrl: temporal.uiUrl };
}

interface Provided {
  data: string;
  keys: PlatformKeys;
  addresses: Parameters<typeof processEnvironments>[1];
  db: Knex;
}

async function startPrograms(options: StartOptions, provided: Provided, undo: Undo): Promise<void> {
  const { root, progress, environment, signal } = options;
  const { data, keys, addresses, db } = provided;
  const folders = { sessions: join(data, 'sessions'), runner: join(root, 'runner') };
  mkdirSync(folders.sessions, { recursive: true, mode: 0o700 });
  const environments = processEnvironments(keys, addresses, folders, environment);
  const start = (name: 'api' | 'worker') => {
    const running = supervise({
      name,
      script: join(root, 'dist', `${name}.js`),
      environment: environments[name],
      directory: data,
      onExit: progress,
    });
    undo.push(running.stop);
    return running;
  };
  const api = start('api');
  const worker = start('worker');
  undo.push(() => endSessions({ db, addresses, sessionsDirectory: folders.sessions, progress }));
  await waitForHealth(`http://127.0.0.1:${addresses.port}`, [api, worker], signal);
  progress(`API and worker run; their output is in ${data}`);
}

/** The API answers and reaches its database. A program that keeps ending is reported with what it said. */
async function waitForHealth(url: string, programs: SupervisedProcess[], signal: AbortSignal): Promise<void> {
  const deadline = Date.now() + healthTimeoutMs;
  for (;;) {
    signal.throwIfAborted();
    const answer = await fetch(`${url}/api/health`, { signal: AbortSignal.timeout(2_000) }).catch(() => null);
    if (answer?.ok === true) {
      return;
    }
    const ended = programs.find((program) => program.exits() >= 3);
    if (ended !== undefined || Date.now() > deadline) {
      const program = ended ?? programs[0];
      throw new StartError(`The ${program?.name} does not start. It said:\n${program?.output()}`);
    }
    await sleep(50);
  }
}
