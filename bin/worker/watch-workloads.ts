/**
 * Signals sessions, and services of previews, whose workload changed: one watcher for all of the
 * runtime (docs/decisions/0037).
 */
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ActivityDependencies } from '../../activities/dependencies.ts';
import { endedCompanions } from '../../activities/workloads/announce-ended.ts';
import { exitOf, isRestarting } from '../../activities/workloads/workload-exit.ts';
import { serviceSignals, sessionSignals } from '../../contract/workflows.ts';
import { createSharedSemaphore } from '../../lib/limits/semaphore.ts';
import { retry } from '../../lib/timing/retry.ts';
import type { WorkloadState } from '../../runtime/workload.ts';
import type { WorkspaceOf } from '../../store/workspaces/workspace-of.ts';
import type { Workflows } from '../../workflows/client.ts';

export interface WatchDependencies extends Pick<ActivityDependencies, 'runtime' | 'log'> {
  workflows: Pick<Workflows, 'signalSession' | 'signalServicePreview'>;
  workspaceOf: WorkspaceOf;
}

export interface WorkloadWatch {
  /**
   * Looks at these sessions, which are all that run, without a hint, and signals those whose workload ended,
   * again if they were signalled before. Returns when all are looked at; throws the last error of a look.
   */
  lookAtAll(sessionIds: readonly string[]): Promise<void>;
  stop(): void;
}

/** Changes that come together are looked at together. */
const settleMs = 25;
/** Of one workspace half: what its workloads do lets others not wait. */
const concurrentLooks = { permits: 10, permitsOfKey: 5 };
/** After that it is left to the sweep. */
const retries = { firstDelayMs: 500, maxDelayMs: 5000, limitMs: 60_000, ref: false };

type Look = 'waiting' | 'running' | 'repeated';

/**
 * Watches until stopped. A hint costs one inspection, and a signal only when it is not as its
 * session was informed last.
 */
export function watchWorkloads({ runtime, workflows, workspaceOf, log }: WatchDependencies): WorkloadWatch {
  const stopping = new AbortController();
  const { signal } = stopping;
  // Each look that waits for its turn listens to it; by default Node takes more than ten for a leak.
  setMaxListeners(0, signal);
  const withPermit = createSharedSemaphore(concurrentLooks);
  const looks = new Map<string, Look>();
  /** What each session's workflow was informed of; it forgets nothing that it was signalled. */
  const informed = new Map<string, string>();

  /** A workload is of a session, or of a preview that shows a service. False when no such workflow runs. */
  const signalOwner = async (id: string): Promise<boolean> =>
    (await workflows.signalSession(id, sessionSignals.workloadChanged)) ||
    (await workflows.signalServicePreview(id, serviceSignals.serviceChanged));

  const look = async (sessionId: string, { isRepeated }: { isRepeated: boolean }): Promise<void> => {
    const state = await runtime.inspect(sessionId);
    const news = newsOf(state);
    const before = informed.get(sessionId) ?? null;
    const isKnown = before === news && !(isRepeated && news === hasEnded);
    // Also that all is well again: for a workflow that does not know, what it was informed of lasts.
    const isTaken = isKnown || (await signalOwner(sessionId));
    if (news === null || !isTaken || (isKnown && state.state === 'absent')) {
      informed.delete(sessionId);
    } else {
      informed.set(sessionId, news);
    }
  };
  const inShare = async (sessionId: string, work: () => Promise<void>): Promise<void> =>
    withPermit(await shareOf(workspaceOf, sessionId), signal, work);
  const lookSoon = async (sessionId: string): Promise<void> => {
    looks.set(sessionId, 'waiting');
    await sleep(settleMs, undefined, { ref: false });
    const attempt = () =>
      inShare(sessionId, () => {
        looks.set(sessionId, 'running');
        return look(sessionId, { isRepeated: false });
      });
    await retry(attempt, { ...retries, signal }).catch((err: unknown) => {
      if (!signal.aborted) {
        log.warn({ sessionId, err }, 'a changed workload could not be looked at; the next sweep does');
      }
    });
    const hasChangedAgain = looks.get(sessionId) === 'repeated';
    looks.delete(sessionId);
    if (hasChangedAgain) {
      hint(sessionId);
    }
  };
  const hint = (sessionId: string): void => {
    const current = looks.get(sessionId);
    if (signal.aborted || current === 'waiting') {
      return;
    }
    if (current === undefined) {
      void lookSoon(sessionId);
    } else {
      looks.set(sessionId, 'repeated');
    }
  };
  const stopWatching = runtime.watch(hint);

  return {
    async lookAtAll(sessionIds) {
      const wanted = new Set(sessionIds);
      for (const sessionId of [...informed.keys()].filter((id) => !wanted.has(id))) {
        informed.delete(sessionId);
      }
      const looked = sessionIds.map((id) => inShare(id, () => look(id, { isRepeated: true })));
      const failed = (await Promise.allSettled(looked)).findLast(({ status }) => status === 'rejected');
      if (failed?.status === 'rejected') {
        throw failed.reason;
      }
    },
    stop() {
      stopWatching();
      stopping.abort();
    },
  };
}

/**
 * The workspace whose share a look takes. What belongs to none that can be told has a share in common: a
 * look is made without a database as well.
 */
async function shareOf(workspaceOf: WorkspaceOf, id: string): Promise<string> {
  const known = async () =>
    (await workspaceOf('session', id)) ??
    (await workspaceOf('preview', id)) ??
    (await workspaceOf('check', id));
  return (await known().catch(() => null)) ?? 'unknown';
}

const hasEnded = 'ended';

/** What a session's workflow has to look at, to be compared; null while all is well. */
function newsOf(state: WorkloadState): string | null {
  if (exitOf(state, 0) !== null) {
    return hasEnded;
  }
  const news = [
    ...(isRestarting(state) ? ['sidecar'] : []),
    ...endedCompanions(state).map(({ name }) => name),
  ];
  return news.length === 0 ? null : news.join(' ');
}
