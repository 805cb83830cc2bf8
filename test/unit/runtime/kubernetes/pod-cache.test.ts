/** How the Pod cache stays correct when its watch ends, for whatever reason. */
import { afterEach, describe, expect, it } from '@jest/globals';
import pino from 'pino';
import type { Cluster, PodEvent, PodList } from '../../../../runtime/kubernetes/cluster.ts';
import { createPodCache, type PodCache } from '../../../../runtime/kubernetes/pod-cache.ts';
import { ClusterError } from '../../../../runtime/kubernetes/requests.ts';
import { eventually } from '../../../support/eventually.ts';
import { podWith, session } from './pods.ts';

interface Watch {
  /** The version that the watch resumes from. */
  from: string;
  say: (event: PodEvent) => void;
  resolve: (version: string) => void;
  reject: (error: ClusterError) => void;
}

/** A cluster whose lists and watches are answered by the test. */
function cluster(lists: PodList[]) {
  const watches: Watch[] = [];
  let listed = 0;
  const parts: Pick<Cluster, 'listPods' | 'watchPods'> = {
    listPods: async () => lists[Math.min(listed++, lists.length - 1)] ?? { pods: [], resourceVersion: '0' },
    watchPods: (_selector, from, say) =>
      new Promise((resolve, reject) => watches.push({ from, say, resolve, reject })),
  };
  return { cluster: parts as Cluster, watches, listed: () => listed };
}

const caches: PodCache[] = [];
afterEach(() => {
  for (const cache of caches.splice(0)) {
    cache.close();
  }
});

function start(lists: PodList[]) {
  const { cluster: parts, ...seen } = cluster(lists);
  const cache = createPodCache(parts, { selector: '', logger: pino({ level: 'silent' }) });
  caches.push(cache);
  const watch = (number: number) =>
    eventually(() => {
      const found = seen.watches[number];
      if (found === undefined) {
        throw new Error(`watch ${number} has not begun`);
      }
      return found;
    });
  return { cache, watch, listed: seen.listed };
}

const version = (resourceVersion: string) => podWith({ metadata: { resourceVersion } });
const versionIn = (cache: PodCache) => cache.get(session)?.metadata.resourceVersion;

describe('the watch of the sessions’ Pods', () => {
  it('starts with a list, continues from its version, and then from the last version of a watch', async () => {
    const { cache, watch, listed } = start([{ pods: [version('5')], resourceVersion: '7' }]);
    const first = await watch(0);
    expect(first.from).toBe('7');
    expect(versionIn(cache)).toBe('5');
    first.say({ type: 'MODIFIED', pod: version('8') });
    expect(versionIn(cache)).toBe('8');
    first.resolve('9');
    expect((await watch(1)).from).toBe('9');
    expect(listed()).toBe(1);
  });

  it('keeps its state when the connection is lost, and resumes from the last version', async () => {
    const { cache, watch, listed } = start([{ pods: [version('5')], resourceVersion: '7' }]);
    (await watch(0)).reject(new ClusterError(null, 'ECONNRESET'));
    expect((await watch(1)).from).toBe('7');
    expect(versionIn(cache)).toBe('5');
    expect(listed()).toBe(1);
  });

  it.each([
    [410, 'too old resource version'],
    [500, 'etcdserver: request timed out'],
  ])('lists everything again when the server answers %i (%s)', async (status, message) => {
    const { cache, watch, listed } = start([
      { pods: [version('5')], resourceVersion: '7' },
      { pods: [], resourceVersion: '90' },
    ]);
    (await watch(0)).reject(new ClusterError(status, message));
    expect((await watch(1)).from).toBe('90');
    expect(listed()).toBe(2);
    // What is missing from the second list was deleted while there was no watch.
    expect(cache.get(session)).toBeUndefined();
    expect(cache.whyGone(session)).toContain('was deleted');
  });
});
