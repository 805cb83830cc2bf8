/**
 * The MCP server's side of the byte pipe: for each connection that is used, one fresh process of the command.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessClaim } from '../../contract/session-process.ts';
import { createDelays } from '../../lib/timing/retry.ts';
import { abandonAfter } from '../../lib/timing/time-limit.ts';
import { connectToSocket } from './connect.ts';
import { firstByte } from './first-byte.ts';
import { killGroup } from './kill-group.ts';
import { reportProcess } from './report-process.ts';

export interface ServerRelayOptions {
  socketPath: string;
  /** Where to report to the sidecar how a process started and ended; null for nowhere. */
  reportPath: string | null;
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
  /** Only this container's processes are visible: all of them are killed with the connection. */
  isAlone: boolean;
  /** One line for the operator; the command's own stderr is passed through. */
  report(line: string): void;
  /** Aborted: ends the process and returns. */
  signal: AbortSignal;
}

const connectLimitMs = 60_000;
const killAfterMs = 2000;
const lastOutputMs = 500;
const shortestPauseMs = 50;
/** Between the starts of a command that keeps failing. */
const failureDelays = { firstDelayMs: 100, maxDelayMs: 5000 };
/** A process that ran at least this long did not crash on start. */
const stableMs = 5000;

/**
 * Connects ahead of use, starts the command with the first byte, bridges, and ends both sides when either
 * ends, and reconnects, with backoff while the command keeps failing. Returns when aborted; throws when
 * the socket does not appear.
 */
export async function runServerRelay(options: ServerRelayOptions): Promise<void> {
  const { socketPath, signal, report } = options;
  const delays = createDelays(failureDelays);
  while (!signal.aborted) {
    const socket = await connectToSocket(socketPath, connectLimitMs, signal).catch((error: unknown) => {
      if (!signal.aborted) {
        throw error;
      }
      return null;
    });
    if (!socket || !(await firstByte(socket, signal))) {
      await pause(shortestPauseMs, signal);
      continue;
    }
    const startedMs = performance.now();
    const ending = await bridge(socket, options);
    if (options.isAlone) {
      endEverything();
    }
    const failedEarly = ending.bySelf && performance.now() - startedMs < stableMs;
    if (!failedEarly) {
      delays.reset();
    }
    if (ending.bySelf) {
      report(`the server process ended by itself (${ending.how}); the next connection starts it again`);
    }
    await pause(failedEarly ? delays.next() : shortestPauseMs, signal);
  }
}

interface Ending {
  /** The command ended unasked. */
  bySelf: boolean;
  how: string;
}

async function bridge(
  socket: Socket,
  { command, args, env, signal, reportPath }: ServerRelayOptions,
): Promise<Ending> {
  // A separate process group, so that the command's child processes end with it.
  const child = spawn(command, args, { env, stdio: ['pipe', 'pipe', 'inherit'], detached: true });
  let asked = false;
  const stop = () => {
    asked = true;
    terminate(child);
  };
  signal.addEventListener('abort', stop, { once: true });
  child.stdin.on('error', () => undefined);
  socket.pipe(child.stdin);
  // The end of its output is not yet the end of the process: how it ended decides what comes next.
  child.stdout.pipe(socket, { end: false });
  child.stdout.once('end', () => setTimeout(() => terminate(child), lastOutputMs).unref());
  // The sidecar closes a connection that the agent left: this process no longer has a peer.
  socket.once('end', stop);
  socket.once('close', stop);

  const { how, claim } = await ended(child);
  // Before the connection ends, so that the reason is known when its end is noticed.
  await reportProcess(reportPath, claim);
  const bySelf = !asked;
  signal.removeEventListener('abort', stop);
  socket.off('close', stop);
  socket.end();
  socket.resume();
  if (!socket.closed) {
    await abandonAfter(lastOutputMs, once(socket, 'close'), () => undefined);
  }
  socket.destroy();
  return { bySelf, how };
}

interface ProcessEnd {
  how: string;
  claim: ProcessClaim;
}

/** How the process ended, once its output has arrived too. */
function ended(child: ChildProcess): Promise<ProcessEnd> {
  return new Promise((resolve) => {
    child.once('error', (error) => {
      const code = 'code' in error ? String(error.code) : 'EIO';
      resolve({ how: code, claim: { type: 'not_started', error: code } });
    });
    child.once('exit', (code, killedBy) => {
      const how = killedBy ?? `exit code ${code}`;
      const end: ProcessEnd = { how, claim: { type: 'ended', exit_code: code, signal: killedBy } };
      child.once('close', () => resolve(end));
      // Its child processes may hold its output open.
      setTimeout(() => resolve(end), lastOutputMs).unref();
      killGroup(child, 'SIGKILL');
    });
  });
}

/** SIGTERM, then after a grace period SIGKILL. */
function terminate(child: ChildProcess): void {
  if (child.exitCode !== null || child.signalCode !== null) {
    return;
  }
  child.stdin?.end();
  killGroup(child, 'SIGTERM');
  const timer = setTimeout(() => killGroup(child, 'SIGKILL'), killAfterMs);
  child.once('exit', () => clearTimeout(timer));
}

/**
 * Kills everything atomically, so that none can fork: also what left the command's group, or keeps forking.
 * The kernel spares the first process and this one.
 */
function endEverything(): void {
  // Only below the first process of a sandbox: anywhere else this would kill foreign processes.
  if (process.ppid !== 1 || process.getuid?.() === 0) {
    return;
  }
  try {
    process.kill(-1, 'SIGKILL');
  } catch {
    // No other processes.
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}
