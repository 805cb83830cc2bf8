/** What a session's containers are doing. */
import type { ContainerState, WorkloadState } from '../workload.ts';
import type { Engine, InspectedContainer, ListedContainer } from './engine.ts';
import { holderName, isHolder, type SessionOnEngine } from './names.ts';
import { sessionContainers, sessionVolumes } from './session-containers.ts';

const mebibyte = 1024 * 1024;
/** Every session has them. */
const expected = ['sidecar', 'agent'];

/**
 * Lists once, and inspects each container: Docker announces the end of one before its list shows it, so a
 * look at the list right after that event would find it running, and no further event would come.
 */
export async function inspectSession(
  engine: Pick<Engine, 'listContainers' | 'listVolumes' | 'inspectContainer'>,
  session: SessionOnEngine,
): Promise<WorkloadState> {
  const found = await sessionContainers(engine, session);
  if (found.length === 0) {
    const volumes = await sessionVolumes(engine, session);
    return volumes.length === 0
      ? { state: 'absent' }
      : { state: 'lost', reason: 'its containers were removed' };
  }
  const shown = found.filter(({ name }) => !isHolder(name) && name !== 'reader');
  const states = await Promise.all(shown.map((each) => stateOf(engine, each, found)));
  const gone = expected.filter((name) => !found.some((each) => each.name === name)).map(removed);
  return { state: 'running', containers: [...states, ...gone] };
}

async function stateOf(
  engine: Pick<Engine, 'inspectContainer'>,
  { id, name }: ListedContainer,
  found: readonly ListedContainer[],
): Promise<ContainerState> {
  const inspected = await engine.inspectContainer(id);
  switch (inspected?.status) {
    case undefined:
      return removed(name);
    case 'created':
    case 'initialized':
    case 'configured':
      return { name, state: 'waiting' };
    case 'exited':
    case 'stopped':
    case 'dead':
    case 'removing':
      return exited(name, inspected, found);
    default:
      return { name, state: 'running' };
  }
}

const removed = (name: string): ContainerState => ({
  name,
  state: 'exited',
  exitCode: null,
  signal: null,
  reason: 'its container was removed',
});

/** The relay's exit code when its container's network is not closed off. */
const notRestricted = 70;

/** SIGKILL, as shells report it. */
const killed = 137;

/** Pure. */
export function exited(
  name: string,
  { exitCode, outOfMemory, memoryBytes }: InspectedContainer,
  found: readonly Pick<ListedContainer, 'name' | 'state'>[],
): ContainerState {
  const ended = { name, state: 'exited' as const, exitCode, signal: null };
  const limit = `${Math.round(memoryBytes / mebibyte)} MiB of memory`;
  if (outOfMemory && exitCode !== 0) {
    return { ...ended, reason: `it used more than its ${limit}` };
  }
  if (exitCode === killed) {
    // Podman does not always report the reason.
    return { ...ended, reason: `it was killed; it may have used more than its ${limit}` };
  }
  const holder = found.find((each) => each.name === holderName(name));
  return exitCode === notRestricted && holder !== undefined && holder.state !== 'running'
    ? { ...ended, reason: 'its network could not be closed off from private addresses' }
    : ended;
}
