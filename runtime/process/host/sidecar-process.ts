/**
 * The session's sidecar, kept running: while it is down no socket answers, so nothing
 * passes (docs/decisions/0004).
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { nextLookMs } from '../../../lib/timing/next-look.ts';
import { sidecarCommand, sidecarEnvironment } from '../../sidecar-program.ts';
import { type HostLaunch, sidecarName } from '../host-protocol.ts';
import { sessionFiles } from '../layout.ts';
import { identify } from '../process-identity.ts';
import { openContainerLog } from './container-log.ts';
import type { StateFile } from './state-file.ts';

const restartLimit = 3;
const restartDelayMs = 200;
const socketsTimeoutMs = 15_000;
const stopGraceMs = 8000;

export interface SidecarProcess {
  /** Resolves when all sockets exist; rejects on timeout. */
  listening(): Promise<void>;
  /** Resolves when the restart limit is exceeded. */
  exited: Promise<void>;
  stop(): Promise<void>;
}

/** A sidecar that was started before anything is known of its session, and the log that it writes to. */
export interface WaitingSidecar {
  waiting: ChildProcess;
  output: number;
}

/** In the working directory, which is or will be the session's. */
export function prepareSidecar(): WaitingSidecar {
  const output = openContainerLog(sessionFiles('.').log(sidecarName)).fd;
  return { waiting: spawnSidecar(output), output };
}

export function startSidecarProcess(
  launch: HostLaunch,
  state: StateFile,
  { waiting, output }: WaitingSidecar,
): SidecarProcess {
  let stopping = false;
  let child: ChildProcess;
  const exited = new Promise<void>((resolve) => {
    const run = (restarts: number) => {
      // A stale socket of a killed sidecar would look like one that listens.
      for (const socket of [
        ...launch.sockets,
        ...(launch.agentSocket === null ? [] : [launch.agentSocket]),
      ]) {
        rmSync(socket, { force: true });
      }
      child = restarts === 0 && isAlive(waiting) ? waiting : spawnSidecar(output);
      child.stdin?.write(`${JSON.stringify(launch.boot)}\n`);
      state.set(sidecarName, { state: 'running', process: identify(child.pid) });
      child.once('close', async (exitCode, signal) => {
        if (stopping || restarts >= restartLimit) {
          state.set(sidecarName, { state: 'exited', exitCode, signal });
          resolve();
          return;
        }
        state.set(sidecarName, { state: 'restarting' });
        await sleep(restartDelayMs);
        if (!stopping) {
          run(restarts + 1);
        }
      });
    };
    run(0);
  });
  return {
    exited,
    listening: () => untilListening(launch.sockets, exited),
    async stop() {
      stopping = true;
      if (!isAlive(child)) {
        return;
      }
      const closed = once(child, 'close');
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), stopGraceMs);
      await closed;
      clearTimeout(timer);
    },
  };
}

/**
 * A sidecar that waits for its configuration, in the session's directory. Its standard input stays open: its
 * end tells the sidecar that this host died.
 */
function spawnSidecar(output: number): ChildProcess {
  const [command = '', ...args] = sidecarCommand(process.execPath, dirname(process.argv[1] ?? ''));
  const child = spawn(command, args, { env: sidecarEnvironment, stdio: ['pipe', output, output] });
  child.once('error', () => undefined);
  child.stdin?.on('error', () => undefined);
  return child;
}

const isAlive = ({ exitCode, signalCode }: ChildProcess) => exitCode === null && signalCode === null;

async function untilListening(sockets: readonly string[], exited: Promise<void>): Promise<void> {
  let lost = false;
  void exited.then(() => {
    lost = true;
  });
  const startedMs = performance.now();
  while (!sockets.every((socket) => existsSync(socket))) {
    const elapsedMs = performance.now() - startedMs;
    if (lost || elapsedMs > socketsTimeoutMs) {
      throw new Error('the sidecar did not listen in time');
    }
    await sleep(nextLookMs(elapsedMs));
  }
}
