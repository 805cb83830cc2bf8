/** Two pieces of work of which neither is of use without the other. */
import { abortWith } from './abort-with.ts';

/**
 * Does both at once. When one fails, the other is told to end and awaited, so that nothing of it goes on;
 * then throws the first failure, or the reason of `signal`.
 */
export async function bothOf<One, Other>(
  signal: AbortSignal,
  one: (signal: AbortSignal) => Promise<One>,
  other: (signal: AbortSignal) => Promise<Other>,
): Promise<[One, Other]> {
  const controller = new AbortController();
  const unlink = abortWith(controller, signal);
  const endOther = (error: unknown): never => {
    controller.abort(error);
    throw error;
  };
  const both = [one(controller.signal).catch(endOther), other(controller.signal).catch(endOther)] as const;
  try {
    await Promise.allSettled(both);
    controller.signal.throwIfAborted();
    return await Promise.all(both);
  } finally {
    unlink();
  }
}
