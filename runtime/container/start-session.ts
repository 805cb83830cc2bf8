/** Creates and starts a session's containers, the sidecar first (docs/decisions/0014). */
import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import type { ResolveName } from '../../lib/outbound/guarded-lookup.ts';
import { retry } from '../../lib/timing/retry.ts';
import { withinLimit } from '../../lib/timing/time-limit.ts';
import { containerUsers } from '../container-workload/container-workload.ts';
import { keyedBoot } from '../render-boot.ts';
import { settled } from '../settled.ts';
import { resolveVariables } from '../variables.ts';
import type { LaunchSecrets, TakeLeftCalls } from '../workload.ts';
import { containerPaths } from '../workload-plan/workload-plan.ts';
import { archiveOf } from './boot-archive.ts';
import type { ContainerPlan, EngineSettings, SessionPlan } from './container-plan.ts';
import { type Engine, isConflict } from './engine.ts';
import { blankLabels } from './image-metadata.ts';
import { coverImageVolumes } from './image-volumes.ts';
import { containerName, labelKeys, type SessionOnEngine } from './names.ts';
import { openDestinations } from './open-destinations.ts';
import { provideImages } from './provide-images.ts';
import { sessionContainers, sessionVolumes } from './session-containers.ts';
import { removeContainers, stopSession } from './stop-session.ts';

const untilEngineIsBack = { limitMs: 30_000, firstDelayMs: 500 };

export interface StartOptions {
  settings: EngineSettings;
  takeLeftCalls: TakeLeftCalls;
  /** The sidecar's image: also reads the spool of a lost sidecar. */
  sidecarImage: string;
  /** Of hosts that are opened to a container. */
  resolveName: ResolveName;
  signal: AbortSignal;
  startTimeoutMs: number;
  pullTimeoutMs: number;
}

/**
 * A no-op when every container was started already; replaces the remains of an interrupted attempt. When the
 * session does not come up, removes what this attempt created, then throws; what another worker creates for
 * the session meanwhile is left alone.
 */
export async function startSession(
  engine: Engine,
  plan: SessionPlan,
  secrets: LaunchSecrets,
  options: StartOptions,
): Promise<void> {
  const session = { installation: options.settings.installation, sessionId: plan.sessionId };
  // The engine may be restarting.
  await retry(() => engine.ping(), { ...untilEngineIsBack, signal: options.signal });
  if (await isStarted(engine, session, plan)) {
    return;
  }
  await stopSession(engine, session, options);
  const attempt = randomUUID();
  try {
    const ready = await prepare(engine, session, plan, secrets, options);
    await withinLimit(options.startTimeoutMs, options.signal, (signal) =>
      runAll(ready, { engine, session, secrets, attempt, signal }),
    );
    if (!((await isStarted(engine, session, ready)) && (await hasVolumes(engine, session, ready)))) {
      throw new Error('something of the session was removed while it started');
    }
  } catch (error) {
    await cleanUp(engine, session, { ...options, attempt, isAlone: !isConflict(error) });
    throw error;
  }
}

async function isStarted(engine: Engine, session: SessionOnEngine, plan: SessionPlan): Promise<boolean> {
  const found = await sessionContainers(engine, session);
  return [plan.sidecar, ...plan.waves.flat()].every(({ name }) =>
    found.some((each) => each.name === name && each.state !== 'created' && each.state !== 'initialized'),
  );
}

/** On mount, the engine silently recreates a deleted volume: without size, owner or session. */
async function hasVolumes(engine: Engine, session: SessionOnEngine, plan: SessionPlan): Promise<boolean> {
  const found = new Set(await sessionVolumes(engine, session));
  return plan.volumes.every(({ name }) => found.has(name));
}

/** Provides images, networks and volumes; returns the plan adjusted to those images. */
async function prepare(
  engine: Engine,
  session: SessionOnEngine,
  plan: SessionPlan,
  { registryCredentials }: LaunchSecrets,
  { settings, resolveName, signal, pullTimeoutMs }: StartOptions,
): Promise<SessionPlan> {
  const wanted = [plan.sidecar, ...plan.waves.flat()].map(({ image }) => image);
  const images = await withinLimit(pullTimeoutMs, signal, (limited) =>
    provideImages(engine, wanted, { registryCredentials, signal: limited }),
  );
  const cover = (each: ContainerPlan) => {
    const { volumes = [], labels = [] } = images.get(each.image.reference) ?? {};
    const sizeBytes = settings.temporaryBytes;
    return coverImageVolumes(blankLabels(each, labels), volumes, { session, sizeBytes });
  };
  const waves = plan.waves.map((wave) => wave.map(cover));
  const covers = waves.flat().flatMap(({ volumes }) => volumes);
  await engine.ensureNetwork(settings.platformNetwork, { internal: true, betweenContainers: true });
  if (plan.waves.flat().some(({ spec }) => spec === null)) {
    await engine.ensureNetwork(settings.internetNetwork, { internal: false, betweenContainers: false });
  }
  const volumes = [...plan.volumes, ...covers];
  await settled(volumes.map((volume) => engine.createVolume(volume)));
  const opened = waves.map((wave) =>
    Promise.all(wave.map((each) => openDestinations(each.plan, resolveName))),
  );
  return { ...plan, volumes, waves: await Promise.all(opened) };
}

interface Running {
  engine: Engine;
  session: SessionOnEngine;
  secrets: LaunchSecrets;
  attempt: string;
  signal: AbortSignal;
}

/**
 * The sidecar runs before anything else is created: its image fills the volumes that the others see. A
 * request that was sent is always awaited, so that the engine creates nothing after the cleanup.
 */
async function runAll({ boot, sidecar, waves }: SessionPlan, running: Running): Promise<void> {
  const { engine, secrets, signal } = running;
  const sidecarId = await create(sidecar, running);
  const content = JSON.stringify(keyedBoot(boot, secrets));
  const file = archiveOf(basename(containerPaths.bootFile), content, containerUsers.sidecar);
  await engine.putArchive(sidecarId, containerPaths.bootDirectory, file);
  await engine.startContainer(sidecarId);
  for (const wave of waves) {
    await settled(
      wave.map(async (each) => {
        const id = await create(each, running);
        signal.throwIfAborted();
        await engine.startContainer(id);
      }),
    );
  }
}

async function create({ name, spec, body }: ContainerPlan, running: Running): Promise<string> {
  const { engine, session, secrets, attempt, signal } = running;
  signal.throwIfAborted();
  const Labels = { ...body.Labels, [labelKeys.attempt]: attempt };
  const env = spec === null ? {} : resolveVariables(spec, secrets);
  const Env = Object.entries(env).map(([variable, value]) => `${variable}=${value}`);
  return engine.createContainer(containerName(session, name), { ...body, Labels, Env });
}

async function cleanUp(
  engine: Engine,
  session: SessionOnEngine,
  {
    attempt,
    isAlone,
    ...options
  }: { attempt: string; isAlone: boolean; takeLeftCalls: TakeLeftCalls; sidecarImage: string },
): Promise<void> {
  const found = await sessionContainers(engine, session);
  const own = found.filter((each) => each.attempt === attempt);
  // A container that took a name this attempt wanted may not be listed yet, and needs the volumes.
  const isAll = isAlone && own.length === found.length;
  await (isAll ? stopSession(engine, session, options) : removeContainers(engine, own));
}
