/**
 * The whole platform as a person starts it: the built `dist/start.js` with a data
 * directory and ports of its own.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { readlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { productName } from '../../contract/product-name.ts';
import { recordCost } from './costs.ts';
import { untilFound } from './eventually.ts';
import { chooseTestPort } from './free-port.ts';
import { memoryDirectory } from './memory-directory.ts';
import { placeMigratedCluster } from './migrated-cluster.ts';
import { ownConnection } from './own-connection.ts';
import { processesMentioning } from './processes.ts';
import { openRunServers } from './run-servers.ts';

export type Victim = 'api' | 'worker' | 'sidecar';

export interface Platform {
  url: string;
  dataDirectory: string;
  /** Everything that it printed so far. */
  output(): string;
  /** `kill -9` of one process; the sidecar is the one of the session. */
  kill(victim: Victim, sessionId: string): Promise<void>;
  /** Waits until the API answers. */
  healthy(): Promise<void>;
  /** `kill -9` of the start-up program itself; its child processes are orphaned. */
  killStart(): Promise<void>;
  /** Ctrl-C, and waits until it has ended. With `keepData` the directory stays. */
  stop(options?: { keepData?: boolean }): Promise<void>;
}

const readyTimeoutMs = 240_000;

export interface TestPlatformOptions {
  env?: Record<string, string>;
  dataDirectory?: string;
  port?: number;
  /**
   * Uses the run's Postgres and Temporal in place of embedded ones: for tests that neither look at those nor
   * start again on their data.
   */
  usesRunServers?: boolean;
  /**
   * Makes its own database at its first start, as a person's platform does. Others get a copy of one
   * that is made and migrated.
   */
  makesDatabase?: boolean;
  /** Starts no session of the demo: for tests that have their own. */
  withoutDemoSession?: boolean;
  /** Starts the demo's remote server, too, which few tests use. */
  withDemoRemoteServer?: boolean;
}

/**
 * Starts it and waits until it says that it is ready; throws with everything that it printed
 * when that does not come.
 */
export async function startPlatform(options: TestPlatformOptions = {}): Promise<Platform> {
  const servers = options.usesRunServers === true ? await openRunServers() : null;
  const dataDirectory = options.dataDirectory ?? mkdtempSync(join(memoryDirectory(), 'platform-'));
  const port = options.port ?? (await chooseTestPort());
  if (needsDatabase(options, dataDirectory)) {
    await placeMigratedCluster(dataDirectory);
  }
  recordCost('platforms');
  // A file: the shared platform runs on when the test file that started it has ended.
  const outputFile = `${dataDirectory}.log`;
  const log = openSync(outputFile, 'w');
  const child = spawn(process.execPath, ['dist/start.js'], {
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      PORT: String(port),
      TEMPORAL_UI_PORT: '0',
      DATA_DIR: dataDirectory,
      // Programs may start slowly beside other tests; those about these limits set their own.
      SESSION_START_SECONDS: '180',
      SERVER_HANDSHAKE_SECONDS: '180',
      DEMO_REMOTE_SERVER: String(options.withDemoRemoteServer === true),
      ...servers?.env,
      ...(options.withoutDemoSession === true ? { DEMO_SESSION: 'false' } : {}),
      ...options.env,
    },
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  child.unref();
  const output = () => readFileSync(outputFile, 'utf8');
  await untilReady(child, output).catch(async (error: unknown) => {
    await servers?.release();
    if (options.dataDirectory === undefined) {
      removeData(dataDirectory);
    }
    throw error;
  });
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    dataDirectory,
    output,
    kill: (victim, sessionId) => kill(victim, dataDirectory, sessionId),
    healthy: () => healthy(url),
    killStart: () => end(child, 'SIGKILL'),
    stop: async ({ keepData = false } = {}) => {
      await end(child, 'SIGINT');
      await servers?.release();
      if (!keepData) {
        removeData(dataDirectory);
      }
    },
  };
}

/** Whether it would make its database now. */
const needsDatabase = (options: TestPlatformOptions, dataDirectory: string): boolean =>
  options.makesDatabase !== true &&
  options.usesRunServers !== true &&
  options.env?.['DATABASE_URL'] === undefined &&
  !existsSync(join(dataDirectory, 'keys.json'));

/** Removes the data of a platform that has stopped, and what it printed. */
export function removeData(dataDirectory: string): void {
  rmSync(dataDirectory, { recursive: true, force: true });
  rmSync(`${dataDirectory}.log`, { force: true });
}

async function untilReady(child: ChildProcess, output: () => string): Promise<void> {
  const deadline = Date.now() + readyTimeoutMs;
  while (!output().includes(`${productName} is ready.`)) {
    if (child.exitCode !== null || child.signalCode !== null || Date.now() > deadline) {
      await end(child, 'SIGINT');
      throw new Error(`the platform did not get ready. It said:\n${output()}`);
    }
    await sleep(50);
  }
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) {
    return;
  }
  const closed = new Promise((done) => child.once('close', done));
  // In a program with nothing else to do, waiting for it must keep the program.
  child.ref();
  child.kill(signal);
  await closed;
}

async function healthy(url: string): Promise<void> {
  await untilFound('a healthy API', async () => {
    const answer = await fetch(`${url}/api/health`, { headers: ownConnection }).catch(() => null);
    return answer?.ok === true ? true : null;
  });
}

async function kill(victim: Victim, dataDirectory: string, sessionId: string): Promise<void> {
  const pid =
    victim === 'sidecar' ? await sidecarOf(sessionId) : pidFrom(join(dataDirectory, `${victim}.json`));
  process.kill(pid, 'SIGKILL');
}

const pidFrom = (file: string): number => JSON.parse(readFileSync(file, 'utf8')).pid;

async function sidecarOf(sessionId: string): Promise<number> {
  for (const { pid } of await processesMentioning(resolve('dist/sidecar.js'))) {
    const directory = await readlink(`/proc/${pid}/cwd`).catch(() => '');
    if (directory.includes(sessionId)) {
      return pid;
    }
  }
  throw new Error(`session ${sessionId} has no sidecar that runs`);
}
