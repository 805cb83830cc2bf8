import type { FrozenImage } from '../../contract/session.ts';
import { createSemaphore, withPermit } from '../../lib/limits/semaphore.ts';
import { ImageError } from '../../lib/oci/errors.ts';
import { defaultImageLimits } from '../../lib/oci/limits.ts';
import { readImage } from '../../lib/oci/read-image.ts';
import type { RegistryPolicy } from '../../lib/oci/registry-policy.ts';
import { ownPlatform } from '../../lib/oci/resolve-image.ts';
import { withinLimit } from '../../lib/timing/time-limit.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { launchRefused, launchRefusedForNow } from '../failures.ts';

/** Per session: an agent may have 33 images, from registries that send up to the limits. */
const readsAtOnce = 2;
/** The activity's timeout is one minute, a read's half of that. */
const beginWithinMs = 25_000;

/**
 * Resolves the references, in their order. Stops at the first that cannot be read.
 * Throws what `readImage` throws, and `launch_refused` when they take too long together.
 */
export async function readImages(
  references: readonly string[],
  readImage: (reference: string) => Promise<FrozenImage>,
): Promise<ReadonlyMap<string, FrozenImage>> {
  const semaphore = createSemaphore({ permits: readsAtOnce });
  const stopped = new AbortController();
  const tooSlow = launchRefusedForNow('Reading the images of the agent and its companions takes too long');
  const read = async (reference: string) => {
    try {
      return [reference, await readImage(reference)] as const;
    } catch (error) {
      stopped.abort(error);
      throw error;
    }
  };
  const readAll = (signal: AbortSignal) =>
    Promise.all(
      references.map((reference) => withPermit(semaphore.acquire({ signal }), () => read(reference))),
    );
  return new Map(await withinLimit(beginWithinMs, stopped.signal, readAll, tooSlow));
}

/** No layer is read, so this is enough; the session waits for it. */
const timeMs = 30_000;

/**
 * Reads digest, command and volumes from the registry, without credentials. Throws `launch_refused` with what
 * is wrong.
 */
export function createReadImage(policy: RegistryPolicy): ActivityDependencies['readImage'] {
  return async (reference, workspaceId) => {
    try {
      const limits = { ...defaultImageLimits, timeMs };
      const options = {
        workspaceId,
        policy,
        credentials: null,
        platform: ownPlatform,
        fileName: null,
        limits,
      };
      const { digest, command, volumes } = await readImage(reference, options);
      return { digest, command, volumes };
    } catch (error) {
      throw error instanceof ImageError ? refusal(reference, error) : error;
    }
  };
}

function refusal(reference: string, { code, message }: ImageError): Error {
  const sentence = `The image ${reference}: ${message}`;
  return code === 'registry_unreachable' ? launchRefusedForNow(sentence) : launchRefused(sentence);
}
