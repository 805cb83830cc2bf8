/**
 * All sessions' Pods, from one watch of the namespace. The view may be stale: what it does not have must be
 * read directly, and while the API server is unreachable it keeps the last known state.
 */
import { EventEmitter, once } from 'node:events';
import type { Logger } from 'pino';
import { type Delays, retry } from '../../lib/timing/retry.ts';
import { withinLimit } from '../../lib/timing/time-limit.ts';
import type { Cluster, PodEvent } from './cluster.ts';
import { deletedByOthers, describePod } from './describe-pod.ts';
import { labelKeys } from './names.ts';
import { type Pod, sessionOf } from './pod.ts';
import { ClusterError } from './requests.ts';

export interface PodCache {
  get(sessionId: string): Pod | undefined;
  /** Stores a Pod that was read directly, unless a later version is known. */
  put(pod: Pod): void;
  /** Why a known Pod disappeared, when the driver did not stop it. */
  whyGone(sessionId: string): string | undefined;
  /**
   * Resolves to true on the next change of the session's Pod; false after `limitMs`, or
   * when `signal` is aborted.
   */
  change(sessionId: string, limitMs: number, signal?: AbortSignal): Promise<boolean>;
  /** Calls back with the session's id on each change of a Pod, until the returned function is called. */
  watch(onChange: (sessionId: string) => void): () => void;
  /** The driver has seen that the session's Pod is deleted: later watch events about it are stale. */
  forget(sessionId: string): void;
  close(): void;
}

const delays = { firstDelayMs: 200, maxDelayMs: 5000 };
/** They may never be read again; only the latest are kept. */
const maxGone = 1000;
const gone = 410;

/** Starts watching at once, until closed. Does not keep the process alive. */
export function createPodCache(
  cluster: Cluster,
  { selector, logger }: { selector: string; logger: Logger },
): PodCache {
  const view = createPodView();
  const closing = new AbortController();
  void keepWatching(cluster, selector, view, { logger, signal: closing.signal });
  return { ...view, close: () => closing.abort() };
}

type View = ReturnType<typeof createPodView>;

/** The Pods by session, and the waiters for changes. */
export function createPodView() {
  const pods = new Map<string, Pod>();
  const reasons = new Map<string, string>();
  const forgotten = new Set<string>();
  const changes = new EventEmitter().setMaxListeners(0);
  const watchers = new Set<(sessionId: string) => void>();
  const announce = (sessionId: string) => {
    changes.emit(sessionId);
    for (const onChange of watchers) {
      onChange(sessionId);
    }
  };
  const put = (pod: Pod) => {
    const sessionId = sessionOf(pod);
    const { uid } = pod.metadata;
    if (sessionId === null || forgotten.has(uid) || isKnown(pod, pods.get(sessionId))) {
      return;
    }
    pods.set(sessionId, pod);
    reasons.delete(sessionId);
    announce(sessionId);
  };
  const remove = (pod: Pod) => {
    const sessionId = sessionOf(pod);
    if (sessionId === null || forgotten.delete(pod.metadata.uid)) {
      return;
    }
    if (pods.get(sessionId)?.metadata.uid === pod.metadata.uid) {
      pods.delete(sessionId);
      if (pod.metadata.labels[labelKeys.stopping] === undefined) {
        reasons.set(sessionId, reasonOf(pod));
        const [oldest] = reasons.size > maxGone ? reasons.keys() : [];
        reasons.delete(oldest ?? '');
      }
      announce(sessionId);
    }
  };
  return {
    get: (sessionId: string) => pods.get(sessionId),
    whyGone: (sessionId: string) => reasons.get(sessionId),
    put,
    take: ({ type, pod }: PodEvent) => (type === 'DELETED' ? remove(pod) : put(pod)),
    /** The full list: what is missing was deleted while the watch was down. */
    replace(all: readonly Pod[]) {
      const uids = new Set(all.map(({ metadata }) => metadata.uid));
      for (const pod of [...pods.values()].filter(({ metadata }) => !uids.has(metadata.uid))) {
        remove(pod);
      }
      for (const uid of [...forgotten].filter((each) => !uids.has(each))) {
        forgotten.delete(uid);
      }
      all.forEach(put);
    },
    change: (sessionId: string, limitMs: number, signal?: AbortSignal) =>
      withinLimit(limitMs, signal, (limited) => once(changes, sessionId, { signal: limited })).then(
        () => true,
        () => false,
      ),
    watch(onChange: (sessionId: string) => void) {
      watchers.add(onChange);
      for (const sessionId of pods.keys()) {
        onChange(sessionId);
      }
      return () => watchers.delete(onChange);
    },
    forget(sessionId: string) {
      const pod = pods.get(sessionId);
      if (pod !== undefined) {
        forgotten.add(pod.metadata.uid);
      }
      pods.delete(sessionId);
      reasons.delete(sessionId);
    },
  };
}

/**
 * Versions are numbers that grow, over all Pods of a cluster: an event of an earlier Pod of the
 * session may arrive late.
 */
function isKnown(pod: Pod, known: Pod | undefined): boolean {
  return (
    known !== undefined && BigInt(known.metadata.resourceVersion) >= BigInt(pod.metadata.resourceVersion)
  );
}

function reasonOf(pod: Pod): string {
  const described = describePod(pod);
  return described.state === 'lost' ? described.reason : deletedByOthers;
}

async function keepWatching(
  cluster: Cluster,
  selector: string,
  view: View,
  { logger, signal }: { logger: Logger; signal: AbortSignal },
): Promise<void> {
  let version: string | null = null;
  const watch = async ({ reset }: Delays) => {
    while (!signal.aborted) {
      try {
        if (version === null) {
          const { pods, resourceVersion } = await cluster.listPods(selector, signal);
          view.replace(pods);
          version = resourceVersion;
        }
        version = await cluster.watchPods(selector, version, view.take, signal);
        reset();
      } catch (error) {
        // The server no longer knows that version, or rejects the watch otherwise: list everything again.
        version = error instanceof ClusterError && error.status === null ? version : null;
        if (!(error instanceof ClusterError && error.status === gone)) {
          throw error;
        }
      }
    }
  };
  const onRetry = (error: unknown) =>
    logger.warn(
      { reason: error instanceof Error ? error.message : 'unknown' },
      'the watch of sessions ended',
    );
  // Fails only when it is closed.
  await retry(watch, { ...delays, signal, ref: false, onRetry }).catch(() => undefined);
}
