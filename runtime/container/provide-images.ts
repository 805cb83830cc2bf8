/** Provides every image of a session on the engine before anything else is created. */
import { parseReference } from '../../lib/oci/reference.ts';
import { retry } from '../../lib/timing/retry.ts';
import type { ContainerImage } from '../container-workload/container-workload.ts';
import { pullFailureOf } from '../container-workload/pull-failure.ts';
import { WorkloadFailedError } from '../workload.ts';
import { type Engine, EngineError, type ImageOnEngine, type RegistryLogin } from './engine.ts';
import { refuseOrders } from './image-metadata.ts';

const pulls = { attempts: 2, firstDelayMs: 2000 };

export interface ProvideOptions {
  /** `user:password` by server. */
  registryCredentials: Readonly<Record<string, string>>;
  signal: AbortSignal;
}

/**
 * The metadata of each image, by reference. Throws WorkloadFailedError for one that is unavailable,
 * or instructs the engine.
 */
export async function provideImages(
  engine: Engine,
  images: readonly ContainerImage[],
  options: ProvideOptions,
): Promise<Map<string, ImageOnEngine>> {
  const found = new Map<string, ImageOnEngine>();
  for (const image of images) {
    options.signal.throwIfAborted();
    if (!found.has(image.reference)) {
      const provided = await provideImage(engine, image, options);
      refuseOrders(image.reference, provided.annotations);
      found.set(image.reference, provided);
    }
  }
  return found;
}

/**
 * Images that the engine has are not pulled again, even where credentials are needed: engines do not check
 * them for a local image, and the reference was read with this workspace's own when its entry was saved.
 */
async function provideImage(
  engine: Engine,
  { reference, credentialsOf }: ContainerImage,
  { registryCredentials, signal }: ProvideOptions,
): Promise<ImageOnEngine> {
  const present = await engine.findImage(reference);
  if (present !== null) {
    return present;
  }
  const login = credentialsOf === null ? null : loginOf(reference, registryCredentials[credentialsOf]);
  await pull(engine, reference, { login, signal });
  const pulled = await engine.findImage(reference);
  if (pulled === null) {
    throw new Error(`the engine pulled ${reference} and does not have it`);
  }
  return pulled;
}

/** For the registry of the image and no other. */
function loginOf(reference: string, credentials: string | undefined): RegistryLogin {
  const colon = credentials?.indexOf(':') ?? -1;
  if (credentials === undefined || colon < 0) {
    throw new WorkloadFailedError(
      `the registry credentials for ${reference} are not in the form user:password`,
    );
  }
  return {
    username: credentials.slice(0, colon),
    password: credentials.slice(colon + 1),
    serveraddress: parseReference(reference).registry,
  };
}

async function pull(
  engine: Engine,
  reference: string,
  { login, signal }: { login: RegistryLogin | null; signal: AbortSignal },
): Promise<void> {
  // What a registry refuses or lacks stays so on a retry.
  const isRetryable = (error: unknown) =>
    error instanceof EngineError && pullFailureOf(error.message) === 'other';
  try {
    await retry(() => engine.pullImage(reference, login, signal), { ...pulls, signal, isRetryable });
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof EngineError
      ? new WorkloadFailedError(`the image ${reference} could not be pulled: ${reasonOf(error, login)}`)
      : error;
  }
}

function reasonOf({ message }: EngineError, login: RegistryLogin | null): string {
  switch (pullFailureOf(message)) {
    case 'refused':
      return login === null ? 'its registry asks for credentials' : 'its registry rejects the credentials';
    case 'missing':
      return 'its registry does not have it';
    case 'other':
      return 'its registry does not answer as the engine expects; the engine’s log says more';
  }
}
