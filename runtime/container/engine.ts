/**
 * The only client of the container engine: the calls that sessions need, over the Engine
 * API of Docker and Podman.
 */
import { Readable } from 'node:stream';
import type Docker from 'dockerode';
import * as z from 'zod';
import { createKeyedMutex } from '../../lib/limits/mutex.ts';
import { readTar } from '../../lib/oci/tar/read-tar.ts';
import { abandonAfter } from '../../lib/timing/time-limit.ts';
import { readTextLines } from '../read-stream.ts';
import type { ContainerBody, VolumePlan } from './container-plan.ts';
import { joinFrames } from './join-frames.ts';
import { labelKeys } from './names.ts';
import { createPodmanCheck, podmanAnnotations, podmanNetworkBackend } from './podman.ts';

/** An error response of the engine, with the engine's own message. */
export class EngineError extends Error {
  override name = 'EngineError';
  readonly statusCode: number;
  constructor(statusCode: number, message: string) {
    super(message);
    this.statusCode = statusCode;
  }
}

const notFound = 404;
const conflict = 409;
/** Also covers operations without output, such as stopping a container. Pulls have their own limit. */
const idleTimeoutMs = 60_000;
/** The caller's limit is shorter. */
const longestPullMs = 60 * 60_000;
/** For a whole answer. */
const answerTimeoutMs = 90_000;

const labels = z.record(z.string(), z.string()).nullish();
const listedContainer = z.object({ Id: z.string(), State: z.string(), Labels: labels });
const inspectedContainer = z.object({
  State: z.object({ Status: z.string(), ExitCode: z.number(), OOMKilled: z.boolean().optional() }),
  HostConfig: z.object({ Memory: z.number() }),
  NetworkSettings: z.object({
    Networks: z.record(z.string(), z.object({ IPAddress: z.string() })).nullish(),
  }),
});
const containerEvent = z.object({ Actor: z.object({ Attributes: labels }) });
const listedVolume = z.object({ Name: z.string(), Labels: labels });
const inspectedImage = z.object({
  Config: z.object({ Volumes: z.record(z.string(), z.unknown()).nullish(), Labels: labels }).nullish(),
});

/** Image metadata that the engine applies to its containers. */
export interface ImageOnEngine {
  /** Paths. */
  volumes: string[];
  /** Names only. */
  labels: string[];
  /** Names only; none on Docker, which leaves them out. */
  annotations: string[];
}

export interface ListedContainer {
  id: string;
  /** Within its session. */
  name: string;
  sessionId: string;
  installation: string;
  attempt: string;
  /** `created`, `running`, `exited` and more. */
  state: string;
}

export interface InspectedContainer {
  status: string;
  exitCode: number;
  outOfMemory: boolean;
  memoryBytes: number;
  /** By network. */
  addresses: Readonly<Record<string, string>>;
}

export interface RegistryLogin {
  username: string;
  password: string;
  serveraddress: string;
}

export type Engine = Awaited<ReturnType<typeof openEngine>>;

/**
 * Names and ids are the engine's. A missing object gives null or is a no-op; every other
 * error is an EngineError.
 */
export async function openEngine(socketPath: string) {
  // Only a worker whose sessions run as containers loads it.
  const { default: Docker } = await import('dockerode');
  const docker = new Docker({ socketPath, timeout: idleTimeoutMs });
  const patient = new Docker({ socketPath });
  const isPodman = createPodmanCheck(docker);
  return {
    /** Throws when nothing answers on the socket. */
    ping: () => call(docker.ping()),
    /** `netavark` or `cni` of Podman; null on Docker, which has a network of its own. */
    podmanNetworkBackend: async (): Promise<string | null> =>
      (await call(isPodman())) ? call(podmanNetworkBackend(docker)) : null,
    ...images(docker, patient, isPodman),
    ...networks(docker),
    ...volumes(docker),
    ...containers(docker),
    ...containerContents(docker),
    ...containerEvents(patient),
  };
}

const images = (docker: Docker, patient: Docker, isPodman: () => Promise<boolean>) => ({
  /** Null when the image is not there. */
  async findImage(reference: string): Promise<ImageOnEngine | null> {
    const found = await unlessMissing(docker.getImage(reference).inspect());
    if (found === null) {
      return null;
    }
    const { Config } = inspectedImage.parse(found);
    return {
      volumes: Object.keys(Config?.Volumes ?? {}),
      labels: Object.keys(Config?.Labels ?? {}),
      annotations: (await call(isPodman())) ? await call(podmanAnnotations(docker, reference)) : [],
    };
  },
  /** Throws EngineError also for what the engine reports while it pulls. */
  async pullImage(reference: string, login: RegistryLogin | null, signal: AbortSignal): Promise<void> {
    const options = { fromImage: reference, abortSignal: signal };
    const pulling = login === null ? patient.createImage(options) : patient.createImage(login, options);
    const stream = await call(pulling, longestPullMs);
    const said: Buffer[] = [];
    for await (const chunk of chunksOf(stream)) {
      said.push(chunk);
    }
    signal.throwIfAborted();
    refuseReportedError(Buffer.concat(said).toString());
  },
});

/** Serialized by name: concurrent requests may make an engine create two of one name. */
function networks(docker: Docker) {
  const runExclusive = createKeyedMutex();
  return {
    /** Creates a bridge network unless one of this name exists, whatever its creator and settings. */
    ensureNetwork: (name: string, options: NetworkOptions) =>
      runExclusive(name, () => ensureNetwork(docker, name, options)),
  };
}

interface NetworkOptions {
  internal: boolean;
  betweenContainers: boolean;
}

async function ensureNetwork(docker: Docker, name: string, options: NetworkOptions): Promise<void> {
  const find = () => unlessMissing(docker.getNetwork(name).inspect());
  if ((await find()) !== null) {
    return;
  }
  const body = {
    Name: name,
    CheckDuplicate: true,
    Driver: 'bridge',
    Internal: options.internal,
    Options: { 'com.docker.network.bridge.enable_icc': String(options.betweenContainers) },
  };
  await call(docker.createNetwork(body)).catch(async (error: unknown) => {
    // Created concurrently.
    if ((await find()) === null) {
      throw error;
    }
  });
}

const volumes = (docker: Docker) => ({
  /** Does nothing when there is one of this name. */
  async createVolume({ name, labels: Labels, options }: VolumePlan): Promise<void> {
    await call(docker.createVolume({ Name: name, Driver: 'local', Labels, DriverOpts: options }));
  },
  async listVolumes(
    filters: { label: string } | { partOfName: string },
  ): Promise<{ name: string; sessionId: string; installation: string }[]> {
    const wanted = 'label' in filters ? { label: [filters.label] } : { name: [filters.partOfName] };
    const { Volumes } = await call(docker.listVolumes({ filters: wanted }));
    return z
      .array(listedVolume)
      .parse(Volumes ?? [])
      .map(({ Name: name, Labels }) => ({
        name,
        sessionId: Labels?.[labelKeys.session] ?? '',
        installation: Labels?.[labelKeys.installation] ?? '',
      }));
  },
  /** Throws EngineError while a container uses it. */
  async removeVolume(name: string): Promise<void> {
    await unlessMissing(docker.getVolume(name).remove());
  },
});

const containers = (docker: Docker) => ({
  /** Throws EngineError when there is one of this name. */
  async createContainer(name: string, body: ContainerBody & { Env: string[] }): Promise<string> {
    return (await call(docker.createContainer({ ...body, name }))).id;
  },
  /** Does nothing when it runs. */
  async startContainer(id: string): Promise<void> {
    await unlessUnchanged(docker.getContainer(id).start());
  },
  /** Stops it gracefully, and kills it after its own stop timeout. */
  async stopContainer(id: string): Promise<void> {
    await unlessUnchanged(unlessMissing(docker.getContainer(id).stop()));
  },
  /** Kills it if needed; removes its anonymous volumes too. */
  async removeContainer(id: string): Promise<void> {
    await unlessMissing(docker.getContainer(id).remove({ force: true, v: true }));
  },
  async listContainers(label: string): Promise<ListedContainer[]> {
    const listed = await call(docker.listContainers({ all: true, filters: { label: [label] } }));
    return z
      .array(listedContainer)
      .parse(listed)
      .map(({ Id: id, State: state, Labels }) => ({
        id,
        state,
        name: Labels?.[labelKeys.container] ?? '',
        sessionId: Labels?.[labelKeys.session] ?? '',
        installation: Labels?.[labelKeys.installation] ?? '',
        attempt: Labels?.[labelKeys.attempt] ?? '',
      }));
  },
  async inspectContainer(id: string): Promise<InspectedContainer | null> {
    const found = await unlessMissing(docker.getContainer(id).inspect());
    if (found === null) {
      return null;
    }
    const { State, HostConfig, NetworkSettings } = inspectedContainer.parse(found);
    const attached = Object.entries(NetworkSettings.Networks ?? {});
    return {
      status: State.Status,
      exitCode: State.ExitCode,
      outOfMemory: State.OOMKilled ?? false,
      memoryBytes: HostConfig.Memory,
      addresses: Object.fromEntries(attached.map(([network, { IPAddress }]) => [network, IPAddress])),
    };
  },
});

const containerContents = (docker: Docker) => ({
  /** Its stdout and stderr as far as the engine still has them; null when there is no such container. */
  async readOutput(id: string): Promise<Buffer | null> {
    const output = await unlessMissing(
      docker.getContainer(id).logs({ stdout: true, stderr: true, follow: false }),
    );
    return output === null ? null : joinFrames(output);
  },
  /** Unpacks a tar archive in a directory of a container, which need not run. */
  async putArchive(id: string, directory: string, archive: Buffer): Promise<void> {
    await call(docker.getContainer(id).putArchive(archive, { path: directory }));
  },
  /** A file of a container, which need not run; null when there is none. */
  async readFile(id: string, path: string): Promise<Buffer | null> {
    const archive = await unlessMissing(docker.getContainer(id).getArchive({ path }));
    if (archive === null) {
      return null;
    }
    for await (const entry of readTar(chunksOf(archive))) {
      if (entry.type === 'file') {
        return entry.read();
      }
    }
    throw new Error(`${path} is no file`);
  },
});

const containerEvents = (docker: Docker) => ({
  /**
   * Calls back with the labels of a container at each of its events, for those with this label; `onOpen`
   * when no event is missed any more. Returns when the engine ends the stream. Throws when it breaks, and
   * when `signal` is aborted.
   */
  async watchContainers(
    label: string,
    { onOpen, onEvent }: { onOpen(): void; onEvent(labels: Readonly<Record<string, string>>): void },
    signal: AbortSignal,
  ): Promise<void> {
    const filters = { type: ['container' as const], label: [label] };
    const stream = Readable.from(await call(docker.getEvents({ filters, abortSignal: signal })));
    onOpen();
    for await (const line of readTextLines(stream)) {
      onEvent(containerEvent.parse(JSON.parse(line)).Actor.Attributes ?? {});
    }
  },
});

/** One JSON object on each line; an engine that has begun to answer reports an error there. */
function refuseReportedError(progress: string): void {
  const lines = progress.split(/\r?\n/).filter((line) => line.trim() !== '');
  const reported = lines.map((line) => z.object({ error: z.string() }).safeParse(JSON.parse(line)).data);
  const failed = reported.find((each) => each !== undefined);
  if (failed !== undefined) {
    throw new EngineError(0, failed.error);
  }
}

async function* chunksOf(stream: NodeJS.ReadableStream): AsyncGenerator<Buffer> {
  for await (const chunk of stream) {
    yield Buffer.from(chunk);
  }
}

/**
 * Keeps only the engine's own message of a dockerode error, nothing of the request. When a connection breaks
 * within a response, dockerode never settles: the limit is for that.
 */
async function call<Result>(request: Promise<Result>, limitMs = answerTimeoutMs): Promise<Result> {
  try {
    return await abandonAfter(limitMs, request, () => {
      throw new Error(`the container engine did not answer within ${limitMs / 1000} seconds`);
    });
  } catch (error) {
    const parsed = z
      .object({ statusCode: z.number(), json: z.object({ message: z.string() }).optional().catch(undefined) })
      .safeParse(error);
    throw parsed.success
      ? new EngineError(parsed.data.statusCode, parsed.data.json?.message ?? String(error))
      : error;
  }
}

async function unlessMissing<Result>(request: Promise<Result>): Promise<Result | null> {
  return call(request).catch((error: unknown) => nullFor(error, notFound));
}

const notModified = 304;
async function unlessUnchanged(request: Promise<unknown>): Promise<void> {
  await call(request).catch((error: unknown) => nullFor(error, notModified));
}

function nullFor(error: unknown, statusCode: number): null {
  if (error instanceof EngineError && error.statusCode === statusCode) {
    return null;
  }
  throw error;
}

/** Whether it exists already, or is being removed. */
export const isConflict = (error: unknown): boolean =>
  error instanceof EngineError && error.statusCode === conflict;
