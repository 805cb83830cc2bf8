/** One session on this machine: its sidecar, then its containers, until it is told to stop (docs/decisions/0002). */
import { once } from 'node:events';
import { writeSync } from 'node:fs';
import { type ContainerLaunch, type HostLaunch, sidecarName } from '../host-protocol.ts';
import { sessionFiles } from '../layout.ts';
import { identify } from '../process-identity.ts';
import { openContainerLog } from './container-log.ts';
import { payloadOf } from './sandbox-payload.ts';
import { startSidecarProcess } from './sidecar-process.ts';
import { type StartedContainer, startContainer } from './start-container.ts';
import { createStateFile, type StateFile } from './state-file.ts';

export interface SessionHost {
  /** Resolves when the sidecar is gone for good, and everything was stopped. */
  ended: Promise<void>;
  /** Ends the containers, then the sidecar, which reports what it still has to. May be called again. */
  stop(): Promise<void>;
}

const stopGraceMs = 2000;

/** Throws when the sidecar does not listen; a container that does not start is recorded as exited. */
export async function startSessionHost(launch: HostLaunch): Promise<SessionHost> {
  const files = sessionFiles(launch.directory);
  const state = createStateFile(launch.directory, [
    sidecarName,
    ...launch.containers.map(({ name }) => name),
  ]);
  const sidecar = startSidecarProcess(launch, state, openContainerLog(files.log(sidecarName)).fd);
  const running: StartedContainer[] = [];
  let stopped: Promise<void> | null = null;
  const stop = () => {
    stopped ??= Promise.all(running.map(stopContainer)).then(() => sidecar.stop());
    return stopped;
  };
  try {
    await sidecar.listening();
    const started = await Promise.all(
      launch.containers.map((each) => run(each, files.log(each.name), state)),
    );
    running.push(...started.filter((each) => each !== null));
    state.started();
  } catch (error) {
    await stop();
    throw error;
  }
  return { ended: sidecar.gone.then(stop), stop };
}

/** Null when it could not be started; its log says why. */
async function run(
  launch: ContainerLaunch,
  logFile: string,
  state: StateFile,
): Promise<StartedContainer | null> {
  const log = openContainerLog(logFile);
  let hasExited = false;
  const exited = (exitCode: number | null, signal: NodeJS.Signals | null) => {
    if (!hasExited) {
      hasExited = true;
      state.set(launch.name, { state: 'exited', exitCode, signal });
      log.close();
    }
  };
  try {
    const started = await startContainer(launch, log.fd);
    const child = started.process;
    state.set(launch.name, { state: 'running', process: identify(child.pid) });
    child.on('error', () => exited(null, null));
    child.once('exit', exited);
    if (child.exitCode !== null || child.signalCode !== null) {
      exited(child.exitCode, child.signalCode);
    }
    return started;
  } catch (error) {
    writeSync(log.fd, `it could not be started: ${error instanceof Error ? error.message : 'unknown'}\n`);
    exited(null, null);
    return null;
  }
}

/** The program is asked to end; then the sandbox, or without one the whole process group, is ended. */
async function stopContainer({ process: child, sandboxed, stopNetwork }: StartedContainer): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const exited = once(child, 'exit');
    // A signal to bubblewrap would end the program without asking it.
    const program = sandboxed && child.pid !== undefined ? payloadOf(child.pid) : null;
    signalGroup(program ?? child.pid, 'SIGTERM');
    const timer = setTimeout(() => signalGroup(child.pid, 'SIGKILL'), stopGraceMs);
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
      // Not a group, or gone already.
    }
  }
}
