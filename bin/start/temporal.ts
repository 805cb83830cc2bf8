/**
 * The embedded Temporal development server. It has no authentication, so it listens on the loopback
 * address only, which nothing inside a session can reach.
 */
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import * as z from 'zod';
import {
  searchAttributes,
  searchAttributeType,
  sessionSignals,
  taskQueue,
} from '../../contract/workflows.ts';
import { retry } from '../../lib/timing/retry.ts';
import {
  identify,
  isRunning,
  type ProcessIdentity,
  stopProcess,
} from '../../runtime/process/process-identity.ts';
import { createWorkflows } from '../../workflows/client.ts';
import { chooseFreePort } from './free-port.ts';
import { StartError } from './start-error.ts';
import type { UiPlace } from './temporal-ui.ts';

export interface TemporalOptions {
  /** The `temporal` program. */
  program: string;
  /** Holds `temporal.db`, `temporal.json` and `temporal.log`; made when it is missing. */
  directory: string;
  preferredPort?: number;
  /** The UI's listen address is chosen here; browsers reach it through `openTemporalUi`. */
  hasUi: boolean;
  /** The UI's previous address, to be reused. */
  ui?: UiPlace | null;
  /** Further settings of the server, as `name=value`. */
  settings?: readonly string[];
  /**
   * Its data need not survive the machine: commits do not wait for the disk, and memory is spent on speed.
   */
  isForTests?: boolean;
}

export interface RunningTemporal {
  address: string;
  port: number;
  ui: UiPlace | null;
  process: ProcessIdentity;
  adopted: boolean;
  stop(): Promise<void>;
}

const startTimeoutMs = 60_000;
const startAttempts = 3;
const note = z.object({
  pid: z.int(),
  startedAt: z.string(),
  port: z.int(),
  ui: z.object({ host: z.string(), port: z.int() }).nullable(),
});
type Note = z.infer<typeof note>;

/**
 * Starts the server on its database file, or adopts the one that a killed start-up left. Throws StartError.
 */
export async function startTemporal(options: TemporalOptions): Promise<RunningTemporal> {
  await mkdir(options.directory, { recursive: true, mode: 0o700 });
  const left = readNote(options.directory);
  if (left !== null && isRunning(left)) {
    const isAsWanted = (left.ui !== null) === options.hasUi;
    if (isAsWanted && (await answers(`127.0.0.1:${left.port}`, 5_000))) {
      return running(left, options.directory, true);
    }
    await stopServer(left, options.directory);
  }
  return launch(options);
}

/** The server was started, and exited by itself. */
class ServerExited extends StartError {}

/**
 * The server takes more ports than the one it is given, and exits when another program was quicker to one of
 * them: then it is started again.
 */
function launch(options: TemporalOptions): Promise<RunningTemporal> {
  const isRetryable = (error: unknown) => error instanceof ServerExited;
  return retry(() => start(options), { attempts: startAttempts, firstDelayMs: 0, isRetryable });
}

/** Throws StartError. */
async function start(wanted: TemporalOptions): Promise<RunningTemporal> {
  const port = await chooseFreePort(wanted.preferredPort);
  const httpPort = await chooseFreePort();
  const ui = wanted.hasUi ? (wanted.ui ?? (await chooseUiPlace())) : null;
  const options = { ...wanted, ui };
  const logFile = join(options.directory, 'temporal.log');
  const log = openSync(logFile, 'w', 0o600);
  const child = spawn(options.program, serverArguments(options, { port, httpPort }), {
    detached: true,
    stdio: ['ignore', log, log],
    env: {
      HOME: options.directory,
      PATH: '/usr/bin:/bin',
      ...(options.isForTests === true && { GOGC: '400' }),
    },
  });
  closeSync(log);
  child.on('error', () => undefined);
  child.unref();
  const identity = child.pid === undefined ? null : identify(child.pid);
  let hasExited = child.pid !== undefined;
  if (identity !== null) {
    const noted: Note = { ...identity, port, ui };
    await writeFile(join(options.directory, 'temporal.json'), JSON.stringify(noted), { mode: 0o600 });
    const deadline = Date.now() + startTimeoutMs;
    while (isRunning(identity) && Date.now() < deadline) {
      if (await answers(`127.0.0.1:${port}`, 1_000)) {
        return running(noted, options.directory, false);
      }
      await sleep(50);
    }
    hasExited = !isRunning(identity);
    await stopServer(noted, options.directory);
  }
  const Failure = hasExited ? ServerExited : StartError;
  const reason = reasonIn(readFileSync(logFile, 'utf8'));
  throw new Failure(`The Temporal server did not start (${options.program}): ${reason}`);
}

/** What a server that did not start says of it: what it panicked about, else its last lines. */
function reasonIn(log: string): string {
  const lines = log.trim().split('\n');
  const panicked = lines.find((line) => /^(panic|fatal error): /.test(line));
  return panicked ?? lines.slice(-3).join(' | ');
}

/** Random: nothing listens there by chance, and a page that scans these addresses does not get far. */
async function chooseUiPlace(): Promise<UiPlace> {
  const byte = () => String(randomInt(1, 255));
  // Only Linux answers to all of 127.0.0.0/8.
  const host = process.platform === 'linux' ? ['127', byte(), byte(), byte()].join('.') : '127.0.0.1';
  return { host, port: await chooseFreePort() };
}

/** The server's own HTTP API is disabled: nothing here uses it, and another site's page could. */
const closedHttpApi = 'frontend.httpAllowedHosts=["nobody.invalid"]';
/** A worker gets the activities that it schedules with the answer to that, where it has a free slot. */
const eagerActivities = 'system.enableActivityEagerExecution=true';
/** One server has nothing to spread: tasks would only be forwarded between the four that are the default. */
const onePartition = ['matching.numTaskqueueReadPartitions=1', 'matching.numTaskqueueWritePartitions=1'];
/**
 * SQLite's default makes and removes a file for each commit, which took a third of the
 * server's processor time.
 */
const writeAheadLog = 'journal_mode=wal';

function serverArguments(
  options: TemporalOptions,
  { port, httpPort }: { port: number; httpPort: number },
): string[] {
  return [
    ...['server', 'start-dev', '--ip', '127.0.0.1', '--port', String(port), '--log-level', 'error'],
    ...['--http-port', String(httpPort), '--dynamic-config-value', closedHttpApi],
    ...[eagerActivities, ...onePartition, ...(options.settings ?? [])].flatMap((setting) => [
      '--dynamic-config-value',
      setting,
    ]),
    ...['--db-filename', join(options.directory, 'temporal.db'), '--sqlite-pragma', writeAheadLog],
    ...(options.isForTests === true ? ['--sqlite-pragma', 'synchronous=off'] : []),
    ...(options.ui ? ['--ui-ip', options.ui.host, '--ui-port', String(options.ui.port)] : ['--headless']),
    ...Object.values(searchAttributes).flatMap((name) => [
      '--search-attribute',
      `${name}=${searchAttributeType}`,
    ]),
  ];
}

/** True when the server answers for its default namespace. */
async function answers(address: string, timeoutMs: number): Promise<boolean> {
  try {
    const connection = await Connection.connect({ address, connectTimeout: timeoutMs });
    try {
      await connection.withDeadline(Date.now() + timeoutMs, () =>
        connection.workflowService.describeNamespace({ namespace: 'default' }),
      );
      return true;
    } finally {
      await connection.close();
    }
  } catch {
    return false;
  }
}

/** Signals a session's workflow to terminate (contract/workflows.ts, `terminate`). Gives up after 5 s. */
export async function signalTerminate(
  at: { temporalAddress: string; temporalNamespace: string },
  sessionId: string,
): Promise<void> {
  const connection = await Connection.connect({ address: at.temporalAddress, connectTimeout: 5_000 });
  try {
    const client = new Client({ connection, namespace: at.temporalNamespace });
    await connection.withDeadline(Date.now() + 5_000, () =>
      createWorkflows(client.workflow, taskQueue).signalSession(sessionId, sessionSignals.terminate),
    );
  } finally {
    await connection.close();
  }
}

function readNote(directory: string): Note | null {
  try {
    return note.parse(JSON.parse(readFileSync(join(directory, 'temporal.json'), 'utf8')));
  } catch {
    return null;
  }
}

function running(noted: Note, directory: string, adopted: boolean): RunningTemporal {
  return {
    address: `127.0.0.1:${noted.port}`,
    port: noted.port,
    ui: noted.ui,
    process: { pid: noted.pid, startedAt: noted.startedAt },
    adopted,
    stop: () => stopServer(noted, directory),
  };
}

async function stopServer(noted: Note, directory: string): Promise<void> {
  await stopProcess(noted, [{ signal: 'SIGTERM', waitMs: 10_000 }]);
  await rm(join(directory, 'temporal.json'), { force: true });
}
