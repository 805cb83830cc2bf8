/**
 * The embedded Temporal development server (design 14). It has no authentication, so it listens on the loopback
 * address only, which nothing inside a session can reach.
 */
import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { z } from 'zod';
import { searchAttributes, sessionWorkflowId } from '../contract/workflow-ids.ts';
import {
  identify,
  isRunning,
  type ProcessIdentity,
  stopProcess,
} from '../runtime/process/process-identity.ts';
import { chooseFreePort, isPortFree } from './free-port.ts';
import { StartError } from './start-error.ts';

export interface TemporalOptions {
  /** The `temporal` program. */
  program: string;
  /** Holds `temporal.db`, `temporal.json` and `temporal.log`; made when it is missing. */
  directory: string;
  preferredPort?: number;
  /** Port of the web UI; 0: any free one; null: no UI. */
  uiPort: number | null;
}

export interface RunningTemporal {
  address: string;
  port: number;
  uiUrl: string | null;
  uiPort: number | null;
  process: ProcessIdentity;
  adopted: boolean;
  stop(): Promise<void>;
}

const startTimeoutMs = 60_000;
const note = z.object({ pid: z.int(), startedAt: z.string(), port: z.int(), uiPort: z.int().nullable() });
type Note = z.infer<typeof note>;

/** Starts the server on its database file, or adopts the one that a killed start-up left. Throws StartError. */
export async function startTemporal(options: TemporalOptions): Promise<RunningTemporal> {
  await mkdir(options.directory, { recursive: true, mode: 0o700 });
  const left = readNote(options.directory);
  if (left !== null && isRunning(left)) {
    if (
      (left.uiPort === options.uiPort || options.uiPort === 0) &&
      (await answers(`127.0.0.1:${left.port}`, 5_000))
    ) {
      return running(left, options.directory, true);
    }
    await stopServer(left, options.directory);
  }
  return launch(options);
}

async function launch(wanted: TemporalOptions): Promise<RunningTemporal> {
  const port = await chooseFreePort(wanted.preferredPort);
  const options = { ...wanted, uiPort: wanted.uiPort === 0 ? await chooseFreePort() : wanted.uiPort };
  if (options.uiPort !== null && !(await isPortFree(options.uiPort))) {
    throw new StartError(
      `Port ${options.uiPort} of the Temporal UI is taken. Set TEMPORAL_UI_PORT to another one.`,
    );
  }
  const logFile = join(options.directory, 'temporal.log');
  const log = openSync(logFile, 'w', 0o600);
  const child = spawn(options.program, serverArguments(options, port), {
    detached: true,
    stdio: ['ignore', log, log],
    env: { HOME: options.directory, PATH: '/usr/bin:/bin' },
  });
  closeSync(log);
  child.on('error', () => undefined);
  child.unref();
  const identity = child.pid === undefined ? null : identify(child.pid);
  if (identity !== null) {
    const noted: Note = { ...identity, port, uiPort: options.uiPort };
    await writeFile(join(options.directory, 'temporal.json'), JSON.stringify(noted), { mode: 0o600 });
    const deadline = Date.now() + startTimeoutMs;
    while (isRunning(identity) && Date.now() < deadline) {
      if (await answers(`127.0.0.1:${port}`, 1_000)) {
        return running(noted, options.directory, false);
      }
      await sleep(50);
    }
    await stopServer(noted, options.directory);
  }
  const lines = readFileSync(logFile, 'utf8').trim().split('\n').slice(-3).join(' | ');
  throw new StartError(`The Temporal server did not start (${options.program}): ${lines}`);
}

function serverArguments(options: TemporalOptions, port: number): string[] {
  return [
    ...['server', 'start-dev', '--ip', '127.0.0.1', '--port', String(port), '--log-level', 'error'],
    ...['--db-filename', join(options.directory, 'temporal.db')],
    ...(options.uiPort === null
      ? ['--headless']
      : ['--ui-ip', '127.0.0.1', '--ui-port', String(options.uiPort)]),
    ...Object.entries(searchAttributes).flatMap(([name, type]) => ['--search-attribute', `${name}=${type}`]),
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

/** Tells a session's workflow that an ending was asked for (workflows/messages.ts, `terminate`). Gives up after 5 s. */
export async function signalTerminate(
  at: { temporalAddress: string; temporalNamespace: string },
  sessionId: string,
): Promise<void> {
  const connection = await Connection.connect({ address: at.temporalAddress, connectTimeout: 5_000 });
  try {
    const client = new Client({ connection, namespace: at.temporalNamespace });
    await connection.withDeadline(Date.now() + 5_000, () =>
      client.workflow.getHandle(sessionWorkflowId(sessionId)).signal('terminate'),
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
    uiUrl: noted.uiPort === null ? null : `http://127.0.0.1:${noted.uiPort}`,
    uiPort: noted.uiPort,
    process: { pid: noted.pid, startedAt: noted.startedAt },
    adopted,
    stop: () => stopServer(noted, directory),
  };
}

async function stopServer(noted: Note, directory: string): Promise<void> {
  await stopProcess(noted, [{ signal: 'SIGTERM', waitMs: 10_000 }]);
  await rm(join(directory, 'temporal.json'), { force: true });
}
