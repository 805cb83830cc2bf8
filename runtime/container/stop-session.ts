/**
 * Reliably ends a session on the engine: gracefully, then by force; then takes its sidecar's unreported
 * records, then removes its volumes.
 */
import { handOverSpool } from '../hand-over-spool.ts';
import type { TakeLeftCalls } from '../workload.ts';
import { type Engine, isConflict, type ListedContainer } from './engine.ts';
import { isHolder, type SessionOnEngine } from './names.ts';
import { readSpoolFile } from './read-spool.ts';
import { sessionContainers, volumesOfName } from './session-containers.ts';

export interface StopDependencies {
  takeLeftCalls: TakeLeftCalls;
  sidecarImage: string;
}

/** What starts meanwhile is handled in the next round. */
const rounds = 5;

/**
 * Idempotent. Throws when something of the session cannot be removed, or its sidecar's unreported records are
 * not accepted; then its volumes stay.
 */
export async function stopSession(
  engine: Engine,
  session: SessionOnEngine,
  { takeLeftCalls, sidecarImage }: StopDependencies,
): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    const containers = await sessionContainers(engine, session);
    const volumes = await volumesOfName(engine, session);
    if (containers.length === 0 && volumes.length === 0) {
      return;
    }
    await stopInOrder(engine, containers);
    const spool = await readSpoolFile(engine, session, { containers, volumes, sidecarImage });
    await handOverSpool(session.sessionId, spool, takeLeftCalls);
    await removeContainers(engine, await sessionContainers(engine, session));
    await removeVolumes(engine, volumes);
  }
  throw new Error('something of the session starts again and again, or does not go');
}

/** The agent while its sidecar still listens; the sidecar last, which then reports what is pending. */
async function stopInOrder(engine: Engine, containers: readonly ListedContainer[]): Promise<void> {
  const running = containers.filter(({ state }) => state !== 'created' && state !== 'exited');
  const stop = (wanted: (name: string) => boolean) =>
    Promise.all(running.filter(({ name }) => wanted(name)).map(({ id }) => engine.stopContainer(id)));
  await stop((name) => name === 'agent');
  await stop((name) => name !== 'agent' && name !== 'sidecar');
  await stop((name) => name === 'sidecar');
}

/**
 * Containers that use another's network first, as Podman requires: siblings may use the agent's, and the
 * agent that of a holder (`holderName`).
 */
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

/** It may be being removed concurrently: the next round checks. */
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
