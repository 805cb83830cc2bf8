/**
 * One session on this machine: its sidecar, then its containers, until it is stopped (docs/decisions/0002).
 * The sidecar is kept running: while it is down no socket answers, so nothing passes (docs/decisions/0004).
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { nextLookMs } from '../../../lib/timing/next-look.ts';
import { abandonAfter } from '../../../lib/timing/time-limit.ts';
import { sidecarCommand, sidecarEnvironment } from '../../sidecar-program.ts';
import { createStateFile, type StateFile } from '../host-state.ts';
import { sessionFiles, sidecarName } from '../layout.ts';
import { identify } from '../process-identity.ts';
import type { HostedContainer, HostLaunch } from '../render-launch.ts';
import { openContainerLog } from './container-log.ts';
import { forwardToHost } from './forward-to-host.ts';
import { captureOutput } from './output/capture-output.ts';
import { createReportClient, noReports, type ReportClient } from './output/report-client.ts';
import { type StartedContainer, startContainer } from './start-container.ts';
import { takeChanges } from './take-changes.ts';

export interface SessionHost {
  /** Resolves when the sidecar is permanently lost, and everything was stopped. */
  ended: Promise<void>;
  /** Stops the containers, then the sidecar, which reports what is pending. May be called again. */
  stop(): Promise<void>;
}

const stopGraceMs = 2000;
/**
 * Of an agent in a repository, which hands its files over once its program has ended: git is started half a
 * dozen times, with the share of the processor that an agent has on a machine that may be busy. Nothing of
 * the agent's own runs meanwhile.
 */
const handOverGraceMs = 20_000;
/** Child processes of an ended container may hold its output open. */
const lastOutputMs = 500;
/** Time for the last reports to reach the sidecar before it is stopped itself. */
const lastReportMs = 1000;
/**
 * What a relay wrote before it ended may still be on its way to the sidecar, which takes
 * the first word on an end.
 */
const relayFirstMs = 1000;

interface HostContainer extends StartedContainer {
  graceMs: number;
  report: ReportClient;
  /** It has ended, and its output was passed on. */
  ended: Promise<void>;
}

/** Throws when the sidecar does not listen; a container that does not start is recorded as exited. */
export async function startSessionHost(launch: HostLaunch, prepared: WaitingSidecar): Promise<SessionHost> {
  const files = sessionFiles(launch.directory);
  const state = createStateFile(launch.directory, [
    sidecarName,
    ...launch.containers.map(({ name }) => name),
  ]);
  const sidecar = startSidecarProcess(launch, state, prepared);
  const running: HostContainer[] = [];
  const stopping = new AbortController();
  /** Every container was started, or will not be. */
  let waitingAgent: Promise<void> = Promise.resolve();
  let stopped: Promise<void> | null = null;
  const stop = () => {
    stopping.abort();
    stopped ??= waitingAgent
      .then(() => Promise.all(running.map(stopContainer)))
      .then(() => Promise.all(running.map(finishReport)))
      .then(() => sidecar.stop());
    return stopped;
  };
  try {
    const listening = sidecar.listening();
    const { agentSocket } = launch;
    const siblingsReady = agentSocket === null ? listening : untilThere(agentSocket, stopping.signal);
    const starting = launch.containers.map(async (each) => {
      const mayRun = each.kind === 'agent' ? siblingsReady : listening;
      const place = { state, listening: mayRun, signal: stopping.signal };
      const container = await run(each, files.log(each.name), place);
      if (container !== null) {
        running.push(container);
      }
    });
    waitingAgent = Promise.all(starting).then(() => undefined);
    await listening;
    await (agentSocket === null ? waitingAgent : Promise.all(othersOf(launch, starting)));
    state.started();
  } catch (error) {
    await stop();
    throw error;
  }
  return { ended: sidecar.exited.then(stop), stop };
}

const othersOf = (launch: HostLaunch, starting: readonly Promise<void>[]) =>
  starting.filter((_, at) => launch.containers[at]?.kind !== 'agent');

/** Waits until a path is there; throws when aborted. */
async function untilThere(path: string, signal: AbortSignal): Promise<void> {
  const startedMs = performance.now();
  while (!existsSync(path)) {
    await sleep(nextLookMs(performance.now() - startedMs), undefined, { signal });
  }
}

async function finishReport({ report, ended }: HostContainer): Promise<void> {
  await ended;
  await report.close(lastReportMs);
}

/**
 * Makes its sandbox at once, and runs its program when the sidecar listens. Null when it could not be
 * started, of which its log says why, or the session was stopped before.
 */
async function run(
  launch: HostedContainer,
  logFile: string,
  { state, listening, signal: stopping }: { state: StateFile; listening: Promise<void>; signal: AbortSignal },
): Promise<HostContainer | null> {
  const log = openContainerLog(logFile);
  const forwarding = launch.privateHost === null ? null : forwardToHost(launch.privateHost);
  const taking = launch.changes === undefined ? null : takeChanges(launch.changes);
  const mayRun = Promise.all([listening, forwarding]).then(() => undefined);
  const starting = startContainer(launch, 'pipe', { mayRun });
  // Its sandbox may fail before the sidecar listens.
  for (const each of [starting, mayRun]) {
    each.catch(() => undefined);
  }
  await listening.catch(() => undefined);
  const report = launch.reportSocket === null ? noReports : createReportClient(launch.reportSocket);
  try {
    const started = await starting;
    const { process: child } = started;
    state.set(launch.name, { state: 'running', process: identify(child.pid) });
    const values = launch.secretVariables.flatMap((name) => launch.env[name] ?? []);
    const allWritten =
      child.stdout === null ? Promise.resolve() : captureOutput(child.stdout, { values, log, report });
    if (launch.kind === 'agent') {
      report.claim({ type: 'started' });
    }
    const ended = endOf(child).then(async ({ exitCode, signal }) => {
      state.set(launch.name, { state: 'exited', exitCode, signal });
      await abandonAfter(lastOutputMs, allWritten, () => undefined);
      // The relay beside a server or sibling knows more; that of a sibling may have been killed with it.
      if (launch.kind === 'sibling') {
        await sleep(relayFirstMs, undefined, { signal: stopping }).catch(() => undefined);
      }
      if (launch.kind !== 'server') {
        report.claim({ type: 'ended', exit_code: exitCode, signal });
      }
      log.close();
      taking?.close();
      await endForward(forwarding);
    });
    return { ...started, report, ended, graceMs: taking === null ? stopGraceMs : handOverGraceMs };
  } catch (error) {
    if (!stopping.aborted) {
      log.write(`it could not be started: ${error instanceof Error ? error.message : 'unknown'}\n`);
      report.claim({ type: 'not_started', error: 'EIO' });
      state.set(launch.name, { state: 'exited', exitCode: null, signal: null });
    }
    log.close();
    taking?.close();
    await endForward(forwarding);
    return null;
  }
}

const endForward = async (forwarding: ReturnType<typeof forwardToHost> | null): Promise<void> =>
  (await forwarding?.catch(() => null))?.close();

interface End {
  exitCode: number | null;
  signal: NodeJS.Signals | null;
}

function endOf(child: ChildProcess): Promise<End> {
  return new Promise((resolve) => {
    child.on('error', () => resolve({ exitCode: null, signal: null }));
    child.once('exit', (exitCode, signal) => resolve({ exitCode, signal }));
    if (child.exitCode !== null || child.signalCode !== null) {
      resolve({ exitCode: child.exitCode, signal: child.signalCode });
    }
  });
}

/** SIGTERM to the program; then the sandbox, or without one the whole process group, is killed. */
async function stopContainer({ process: child, graceMs, ...container }: HostContainer): Promise<void> {
  const { findProgram, stopNetwork } = container;
  if (child.exitCode === null && child.signalCode === null) {
    const exited = once(child, 'exit');
    // A signal to bubblewrap would kill the program ungracefully.
    signalGroup(findProgram() ?? child.pid, 'SIGTERM');
    const timer = setTimeout(() => signalGroup(child.pid, 'SIGKILL'), graceMs);
    await exited;
    clearTimeout(timer);
  }
  signalGroup(child.pid, 'SIGKILL');
  stopNetwork();
}

/** The group when the container has one of its own, else the process. */
function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  for (const target of pid === undefined ? [] : [-pid, pid]) {
    try {
      process.kill(target, signal);
      return;
    } catch {
      // Not a group, or already dead.
    }
  }
}

const restartLimit = 3;
const restartDelayMs = 200;
const socketsTimeoutMs = 15_000;
const sidecarStopGraceMs = 8000;

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
      const timer = setTimeout(() => child.kill('SIGKILL'), sidecarStopGraceMs);
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
