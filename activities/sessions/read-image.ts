/** Pins the image of an agent at the start of a session, so that the session runs exactly that one. */
import type { FrozenImage } from '../../contract/session.ts';
import { ImageError } from '../../lib/oci/errors.ts';
import { defaultImageLimits } from '../../lib/oci/limits.ts';
import { readImage } from '../../lib/oci/read-image.ts';
import type { RegistryPolicy } from '../../lib/oci/registry-policy.ts';
import { ownPlatform } from '../../lib/oci/resolve-image.ts';
import { launchRefused, launchRefusedForNow } from '../failures.ts';

/** No layer is read, so this is enough; the session waits for it. */
const timeMs = 30_000;

/** Reads digest, command and volumes from the registry, without credentials. Throws `launch_refused` with what is wrong. */
export function createReadImage(policy: RegistryPolicy): (reference: string) => Promise<FrozenImage> {
  return async (reference) => {
    try {
      const limits = { ...defaultImageLimits, timeMs };
      const options = { policy, credentials: null, platform: ownPlatform, fileName: null, limits };
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
