/** One session on this machine: its sidecar, then its containers, until it is told to stop (docs/decisions/0002). */
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import type { ContainerLaunch, HostLaunch } from '../host-protocol.ts';
import { sessionFiles } from '../layout.ts';
import { identify } from '../process-identity.ts';
import { openContainerLog } from './container-log.ts';
import { sidecarName, startSidecarProcess } from './sidecar-process.ts';
import { type StartedContainer, startContainer } from './start-container.ts';
import { createStateFile, type StateFile } from './state-file.ts';

export interface SessionHost {
  /** Resolves when the sidecar is gone for good, and everything was stopped. */
  ended: Promise<void>;
  /** Ends the containers, then the sidecar, which reports what it still has to. */
  stop(): Promise<void>;
}

const stopGraceMs = 2000;

/** Throws when the sidecar does not listen; a container that does not start is recorded as exited. */
export async function startSessionHost(launch: HostLaunch): Promise<SessionHost> {
  const files = sessionFiles(launch.directory);
  mkdirSync(files.logs, { recursive: true, mode: 0o700 });
  const state = createStateFile(launch.directory, [
    sidecarName,
    ...launch.containers.map(({ name }) => name),
  ]);
  const sidecar = startSidecarProcess(launch, state, openContainerLog(files.log(sidecarName)).fd);
  const running: StartedContainer[] = [];
  const stop = async () => {
    await Promise.all(running.map(stopContainer));
    await sidecar.stop();
  };
  try {
    await sidecar.listening();
    // Servers first: the agent is the last to start, with everything in place.
    const [agents, servers] = partition(launch.containers, ({ name }) => name === 'agent');
    for (const group of [servers, agents]) {
      running.push(
        ...(await Promise.all(group.map((each) => run(each, files.log(each.name), state)))).flat(),
      );
    }
    state.started();
  } catch (error) {
    await stop();
    throw error;
  }
  return { ended: sidecar.gone.then(stop), stop };
}

/** A started container in a list, or an empty one when it could not be started. */
async function run(launch: ContainerLaunch, logFile: string, state: StateFile): Promise<StartedContainer[]> {
  const log = openContainerLog(logFile);
  const exited = (exitCode: number | null, signal: NodeJS.Signals | null) => {
    state.set(launch.name, { state: 'exited', exitCode, signal });
    log.close();
  };
  try {
    const started = await startContainer(launch, log.fd);
    const child = started.process;
    child.once('error', () => exited(null, null));
    child.once('exit', exited);
    state.set(launch.name, { state: 'running', process: identify(child.pid ?? 0) });
    if (child.exitCode !== null || child.signalCode !== null) {
      state.set(launch.name, { state: 'exited', exitCode: child.exitCode, signal: child.signalCode });
    }
    return [started];
  } catch {
    exited(null, null);
    return [];
  }
}

/** A sandbox dies with bubblewrap; without one the whole process group is ended. */
async function stopContainer({ process: child, stopNetwork }: StartedContainer): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const exited = once(child, 'exit');
    signalGroup(child.pid, 'SIGTERM');
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

function partition<Item>(items: readonly Item[], test: (item: Item) => boolean): [Item[], Item[]] {
  return [items.filter(test), items.filter((item) => !test(item))];
}
