/** Ends a session on the engine for sure: in order, then whatever is left, then what its sidecar had still to tell, then its volumes. */
import type { TakeLeftCalls } from '../workload.ts';
import { type Engine, isConflict, type ListedContainer } from './engine.ts';
import { handOverCalls } from './left-calls.ts';
import { isHolder, type SessionOnEngine } from './names.ts';
import { sessionContainers, volumesOfName } from './session-containers.ts';

export interface StopOptions {
  takeLeftCalls: TakeLeftCalls;
  sidecarImage: string;
}

/** What starts while it is being stopped is met in the next round. */
const rounds = 5;

/**
 * Harmless when nothing is there. Throws when something of the session does not go, or what its sidecar could not report is not
 * taken; then its volumes stay.
 */
export async function stopSession(
  engine: Engine,
  session: SessionOnEngine,
  options: StopOptions,
): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    const containers = await sessionContainers(engine, session);
    const volumes = await volumesOfName(engine, session);
    if (containers.length === 0 && volumes.length === 0) {
      return;
    }
    await stopInOrder(engine, containers);
    await handOverCalls(engine, session, { containers, volumes, ...options });
    await removeContainers(engine, await sessionContainers(engine, session));
    await removeVolumes(engine, volumes);
  }
  throw new Error('something of the session starts again and again, or does not go');
}

/** The agent while its sidecar still listens; the sidecar last, which then reports what it still has to. */
async function stopInOrder(engine: Engine, containers: readonly ListedContainer[]): Promise<void> {
  const running = containers.filter(({ state }) => state !== 'created' && state !== 'exited');
  const stop = (wanted: (name: string) => boolean) =>
    Promise.all(running.filter(({ name }) => wanted(name)).map(({ id }) => engine.stopContainer(id)));
  await stop((name) => name === 'agent');
  await stop((name) => name !== 'agent' && name !== 'sidecar');
  await stop((name) => name === 'sidecar');
}

/** First those that use the network of another, as Podman wants it; the agent's may be its siblings'. */
export async function removeContainers(
  engine: Engine,
  containers: readonly ListedContainer[],
): Promise<void> {
  const remove = (wanted: (name: string) => boolean) =>
    Promise.all(containers.filter(({ name }) => wanted(name)).map(({ id }) => removeContainer(engine, id)));
  const isLast = (name: string) => name === 'agent' || isHolder(name);
  await remove((name) => !isLast(name));
  await remove((name) => name === 'agent');
  await remove(isHolder);
}

/** Somebody else may be removing it: the next round sees whether it went. */
async function removeContainer(engine: Engine, id: string): Promise<void> {
  await engine.removeContainer(id).catch(ignoreConflict);
}

async function removeVolumes(engine: Engine, volumes: readonly string[]): Promise<void> {
  await Promise.all(volumes.map((name) => engine.removeVolume(name).catch(ignoreConflict)));
}

function ignoreConflict(error: unknown): void {
  if (!isConflict(error)) {
    throw error;
  }
}
