import { describe, expect, it } from '@jest/globals';
import { labelKeys } from '../../../../runtime/kubernetes/names.ts';
import type { Pod } from '../../../../runtime/kubernetes/pod.ts';
import { createPodView } from '../../../../runtime/kubernetes/pod-cache.ts';
import { podWith, session } from './pods.ts';

const version = (resourceVersion: string, uid = 'uid-1'): Pod =>
  podWith({ metadata: { resourceVersion, uid } });

describe('the view of the sessions’ Pods', () => {
  it('keeps the latest state of a Pod, in whatever order events arrive', () => {
    const view = createPodView();
    view.put(version('100'));
    view.put(version('99'));
    expect(view.get(session)?.metadata.resourceVersion).toBe('100');
    view.take({ type: 'MODIFIED', pod: version('101') });
    expect(view.get(session)?.metadata.resourceVersion).toBe('101');
    view.take({ type: 'ADDED', pod: version('150', 'uid-2') });
    expect(view.get(session)?.metadata.uid).toBe('uid-2');
    view.take({ type: 'MODIFIED', pod: version('120') });
    expect(view.get(session)?.metadata.uid).toBe('uid-2');
  });

  it('remembers that a Pod was deleted without having been stopped, until it is started or stopped again', () => {
    const view = createPodView();
    view.put(version('100'));
    view.take({ type: 'DELETED', pod: version('101') });
    expect(view.get(session)).toBeUndefined();
    expect(view.whyGone(session)).toContain('was deleted');
    view.put(version('102', 'uid-2'));
    expect(view.whyGone(session)).toBeUndefined();
    view.replace([]);
    expect(view.whyGone(session)).toContain('was deleted');
    view.forget(session);
    expect(view.whyGone(session)).toBeUndefined();
  });

  it('recognises that a Pod was stopped by another worker', () => {
    const view = createPodView();
    view.put(version('100'));
    const labels = { [labelKeys.session]: session, [labelKeys.stopping]: 'true' };
    view.take({ type: 'DELETED', pod: podWith({ metadata: { resourceVersion: '101', labels } }) });
    expect(view.get(session)).toBeUndefined();
    expect(view.whyGone(session)).toBeUndefined();
  });

  it('does not bring back a deleted Pod, however late the watch is', () => {
    const view = createPodView();
    view.put(version('100'));
    view.forget(session);
    view.take({ type: 'MODIFIED', pod: version('101') });
    expect(view.get(session)).toBeUndefined();
    view.take({ type: 'DELETED', pod: version('102') });
    expect(view.whyGone(session)).toBeUndefined();
  });

  it('drops a deletion of an earlier Pod of the same session', () => {
    const view = createPodView();
    view.put(version('200', 'uid-2'));
    view.take({ type: 'DELETED', pod: version('101', 'uid-1') });
    expect(view.get(session)?.metadata.uid).toBe('uid-2');
  });

  it('wakes only the waiters for a change', async () => {
    const view = createPodView();
    const changed = view.change(session, 60_000);
    const other = view.change('00000000-0000-4000-8000-000000000002', 20);
    view.put(version('100'));
    expect(await changed).toBe(true);
    expect(await other).toBe(false);
    const again = view.change(session, 20);
    view.put(version('100'));
    expect(await again).toBe(false);
    expect(await view.change(session, 60_000, AbortSignal.abort())).toBe(false);
  });

  it('informs watchers of each change until they stop, and of the Pods that are there at once', () => {
    const view = createPodView();
    view.put(version('100'));
    const hints: string[] = [];
    const stop = view.watch((sessionId) => hints.push(sessionId));
    expect(hints).toEqual([session]);
    view.put(version('100'));
    expect(hints).toHaveLength(1);
    view.take({ type: 'MODIFIED', pod: version('101') });
    expect(hints).toHaveLength(2);
    // Deleted while the watch was down.
    view.replace([]);
    expect(hints).toHaveLength(3);
    stop();
    view.put(version('102', 'uid-2'));
    expect(hints).toHaveLength(3);
  });

  it('ignores Pods that belong to no session', () => {
    const view = createPodView();
    view.put(podWith({ metadata: { labels: {} } }));
    expect(view.get(session)).toBeUndefined();
  });
});
