/** Shares of a pool of connections, so that the requests of one owner do not use all that others wait for. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { createKeyedSemaphore } from '../lib/limits/semaphore.ts';

export interface ConnectionOwner {
  /** Those with the same key share. */
  key: string;
  /** Connections of a pool that they hold at a time. */
  connections: number;
}

const owner = new AsyncLocalStorage<ConnectionOwner | null>();

/**
 * Statements of the work, and of what it starts, take their connections from the owner's share; with null
 * from no share, such as work that serves several.
 */
export const onBehalfOf = <Result>(of: ConnectionOwner | null, work: () => Result): Result =>
  owner.run(of, work);

/**
 * The shares of one pool. Returns a function that waits until the owner of the running work may hold one more
 * connection, in order of arrival, and returns what gives it back. Throws after `limitMs`.
 */
export function createConnectionShares(limitMs: number): () => Promise<() => void> {
  const semaphore = createKeyedSemaphore();
  return async () => {
    const of = owner.getStore() ?? null;
    if (of === null) {
      return () => {};
    }
    const { key, connections: permits } = of;
    const release = await semaphore.acquire({ key, permits }, { maxWaitMs: limitMs });
    if (release === null) {
      throw new Error('all connections of its share are in use');
    }
    return release;
  };
}
