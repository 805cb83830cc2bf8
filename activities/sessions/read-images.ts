import type { FrozenImage } from '../../contract/session.ts';
import { createSlots } from '../../runtime/slots.ts';
import { launchRefusedForNow } from '../failures.ts';

/** Of one session: an agent may have 33 images, of registries that send as much as they may. */
const readsAtOnce = 2;
/** The activity has a minute, and a read half of one. */
const beginWithinMs = 25_000;

/**
 * What each of the references stands for now, in their order. The first that cannot be read ends it, and no other is begun then.
 * Throws what `readImage` throws, and `launch_refused` when they take too long together.
 */
export async function readImages(
  references: readonly string[],
  readImage: (reference: string) => Promise<FrozenImage>,
): Promise<ReadonlyMap<string, FrozenImage>> {
  const inSlot = createSlots(readsAtOnce);
  const stopped = new AbortController();
  const tooSlow = launchRefusedForNow('Reading the images of the agent and its companions takes too long');
  const timer = setTimeout(() => stopped.abort(tooSlow), beginWithinMs);
  const read = async (reference: string) => {
    try {
      return [reference, await readImage(reference)] as const;
    } catch (error) {
      stopped.abort(error);
      throw error;
    }
  };
  try {
    return new Map(
      await Promise.all(references.map((reference) => inSlot(stopped.signal, () => read(reference)))),
    );
  } finally {
    clearTimeout(timer);
  }
}
