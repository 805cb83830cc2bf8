/** How many may do something at a time. Those beyond that wait, in the order of arrival, or are refused. */

/** Gives the permit back; a second call has no effect. */
export type Release = () => void;

export interface SemaphoreSettings {
  permits: number;
  /** Those beyond are refused at once; by default any number may wait. */
  maxWaiting?: number;
}

export interface AcquireOptions {
  /** Without it, one waits until there is a permit. */
  maxWaitMs?: number;
  /** Whoever aborts it leaves the queue. */
  signal?: AbortSignal;
}

export interface Semaphore {
  /**
   * A permit, after those that wait already. Null when none became free in time, or too many wait. Throws the
   * reason of `signal` as soon as that is aborted before there is a permit.
   */
  acquire(options?: AcquireOptions): Promise<Release | null>;
  /** A permit that is free now, or null. */
  tryAcquire(): Release | null;
}

/** `onIdle` is called whenever the last permit was given back. */
export function createSemaphore(
  { permits, maxWaiting = Infinity }: SemaphoreSettings,
  onIdle: () => void = () => undefined,
): Semaphore {
  const waiting: Queue = new Set();
  let held = 0;
  const giveBack = () => {
    const [next] = waiting;
    if (next !== undefined) {
      next(onceOnly(giveBack));
      return;
    }
    held -= 1;
    if (held === 0) {
      onIdle();
    }
  };
  const tryAcquire = () => {
    if (held >= permits) {
      return null;
    }
    held += 1;
    return onceOnly(giveBack);
  };
  return {
    tryAcquire,
    acquire(options = {}) {
      if (options.signal?.aborted) {
        return Promise.reject(options.signal.reason);
      }
      const free = tryAcquire();
      return free !== null || waiting.size >= maxWaiting ? Promise.resolve(free) : inQueue(waiting, options);
    },
  };
}

/** Takes the permit of one that was given back. */
type Queue = Set<(permit: Release) => void>;

function inQueue(waiting: Queue, { maxWaitMs, signal }: AcquireOptions): Promise<Release | null> {
  return new Promise((resolve, reject) => {
    const leave = () => {
      waiting.delete(enter);
      clearTimeout(timer);
      signal?.removeEventListener('abort', giveUp);
    };
    const enter = (permit: Release) => {
      leave();
      resolve(permit);
    };
    const giveUp = () => {
      leave();
      reject(signal?.reason);
    };
    const expire = () => {
      leave();
      resolve(null);
    };
    const timer = maxWaitMs === undefined ? undefined : setTimeout(expire, Math.max(0, maxWaitMs));
    signal?.addEventListener('abort', giveUp);
    waiting.add(enter);
  });
}

function onceOnly(giveBack: () => void): Release {
  let isGivenBack = false;
  return () => {
    if (!isGivenBack) {
      isGivenBack = true;
      giveBack();
    }
  };
}

/** Whose permits, and how many they are: the same number for all who name the same key at a time. */
export interface PermitOwner {
  key: string;
  permits: number;
}

/** A semaphore for each key, which is forgotten while nobody holds a permit of it. */
export interface KeyedSemaphore {
  acquire(owner: PermitOwner, options?: AcquireOptions): Promise<Release | null>;
  tryAcquire(owner: PermitOwner): Release | null;
}

/** The settings hold for each key. */
export function createKeyedSemaphore(settings: Omit<SemaphoreSettings, 'permits'> = {}): KeyedSemaphore {
  const semaphores = new Map<string, Semaphore>();
  const semaphoreOf = ({ key, permits }: PermitOwner): Semaphore => {
    const known = semaphores.get(key);
    if (known !== undefined) {
      return known;
    }
    const semaphore = createSemaphore({ ...settings, permits }, () => semaphores.delete(key));
    semaphores.set(key, semaphore);
    return semaphore;
  };
  return {
    acquire: (owner, options) =>
      options?.signal?.aborted ? Promise.reject(options.signal.reason) : semaphoreOf(owner).acquire(options),
    tryAcquire: (owner) => semaphoreOf(owner).tryAcquire(),
  };
}

/**
 * Runs the work when the permit is there, and gives that back when the work has ended. For those who wait
 * without an end: a permit that is refused is an Error.
 */
export async function withPermit<Result>(
  acquired: Promise<Release | null>,
  work: () => Promise<Result>,
): Promise<Result> {
  const release = await acquired;
  if (release === null) {
    throw new Error('there is no permit, and no queue for one');
  }
  try {
    return await work();
  } finally {
    release();
  }
}

export type SharedSemaphore = <Result>(
  key: string,
  signal: AbortSignal,
  work: () => Promise<Result>,
) => Promise<Result>;

/**
 * Of `permits` at most `permitsOfKey` are for one key, so that one that asks for much leaves some to
 * others. Whoever waits for its key holds no permit of all. Throws the reason of `signal` as soon as that
 * is aborted before the work begins.
 */
export function createSharedSemaphore({
  permits,
  permitsOfKey,
}: {
  permits: number;
  permitsOfKey: number;
}): SharedSemaphore {
  const ofAll = createSemaphore({ permits });
  const ofKeys = createKeyedSemaphore();
  return (key, signal, work) =>
    withPermit(ofKeys.acquire({ key, permits: permitsOfKey }, { signal }), () =>
      withPermit(ofAll.acquire({ signal }), work),
    );
}
