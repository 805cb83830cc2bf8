/** When a launch reached each milestone, as its caller sees it. */
import { performance } from 'node:perf_hooks';
import type { Cluster } from '../../runtime/kubernetes/cluster.ts';
import { labelKeys } from '../../runtime/kubernetes/names.ts';
import { conditionOf, type Pod, sessionOf } from '../../runtime/kubernetes/pod.ts';
import { startProgress } from '../../runtime/kubernetes/start-progress.ts';

/** In the order in which a launch usually reaches them. */
export const milestones = [
  'Pod created',
  'Secrets and policy made',
  'gate open',
  'scheduled',
  'agent speaks',
  'sidecar ready',
  'containers run',
  'start returns',
  'launched',
] as const;
export type Milestone = (typeof milestones)[number];

/** Milliseconds since the clock of the launch started. */
export type Timeline = Partial<Record<Milestone, number>>;

export class Timelines {
  readonly #startedMs = new Map<string, number>();
  readonly #reached = new Map<string, Timeline>();

  startClock(sessionId: string): void {
    this.#startedMs.set(sessionId, performance.now());
    this.#reached.set(sessionId, {});
  }

  /** The last time counts. Does nothing when the clock was not started. */
  reach(sessionId: string, milestone: Milestone): void {
    const startedMs = this.#startedMs.get(sessionId);
    const timeline = this.#reached.get(sessionId);
    if (startedMs !== undefined && timeline !== undefined) {
      timeline[milestone] = performance.now() - startedMs;
    }
  }

  /** The first time counts. */
  see(sessionId: string, milestone: Milestone): void {
    if (this.#reached.get(sessionId)?.[milestone] === undefined) {
      this.reach(sessionId, milestone);
    }
  }

  of(sessionId: string): Timeline {
    return { ...this.#reached.get(sessionId) };
  }
}

/** Wraps the cluster to record its calls and what its watch shows. */
export function recorded(cluster: Cluster, timelines: Timelines): Cluster {
  const made = ({ metadata }: { metadata?: { labels?: Readonly<Record<string, string>> } }) =>
    timelines.reach(metadata?.labels?.[labelKeys.session] ?? '', 'Secrets and policy made');
  return {
    ...cluster,
    async createPod(manifest) {
      const pod = await cluster.createPod(manifest);
      timelines.reach(sessionOf(pod) ?? '', 'Pod created');
      return pod;
    },
    async createSecret(manifest, signal) {
      await cluster.createSecret(manifest, signal);
      made(manifest);
    },
    async createNetworkPolicy(manifest, signal) {
      await cluster.createNetworkPolicy(manifest, signal);
      made(manifest);
    },
    async openGate(sessionId, uid, signal) {
      await cluster.openGate(sessionId, uid, signal);
      timelines.reach(sessionId, 'gate open');
    },
    watchPods: (selector, version, onEvent, signal) =>
      cluster.watchPods(
        selector,
        version,
        (event) => {
          note(event.pod, timelines);
          onEvent(event);
        },
        signal,
      ),
  };
}

function note(pod: Pod, timelines: Timelines): void {
  const sessionId = sessionOf(pod) ?? '';
  if (conditionOf(pod, 'PodScheduled') !== undefined) {
    timelines.see(sessionId, 'scheduled');
  }
  if (startProgress(pod).state === 'started') {
    timelines.see(sessionId, 'containers run');
  }
}
