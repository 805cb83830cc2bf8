import type { FrozenImage } from '../../contract/session.ts';
import { withinLimit } from '../../lib/timing/time-limit.ts';
import { createSlots } from '../../runtime/slots.ts';
import { launchRefusedForNow } from '../failures.ts';

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
  const inSlot = createSlots(readsAtOnce);
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
    Promise.all(references.map((reference) => inSlot(signal, () => read(reference))));
  return new Map(await withinLimit(beginWithinMs, stopped.signal, readAll, tooSlow));
}
