/** What a worker makes of hints: few looks, and a signal only for what its session does not know. */
import { afterEach, describe, expect, it } from '@jest/globals';
import pino from 'pino';
import { type WorkloadWatch, watchWorkloads } from '../../../bin/worker/watch-workloads.ts';
import type { ContainerState, WorkloadState } from '../../../runtime/workload.ts';
import type { WorkspaceOf } from '../../../store/workspaces/workspace-of.ts';
import { eventually } from '../../support/eventually.ts';
import { RecordingRuntime } from '../../support/recording-runtime.ts';

const watches: WorkloadWatch[] = [];
afterEach(() => {
  for (const watch of watches.splice(0)) {
    watch.stop();
  }
});

/** Of `loud 1` it is `loud`. */
const byFirstWord: WorkspaceOf = async (_kind, id) => id.split(' ')[0] ?? null;

function start({ isTaken = true, isService = false, workspaceOf = byFirstWord } = {}) {
  const signals: string[] = [];
  const runtime = new RecordingRuntime();
  let inspections = 0;
  let failures = 0;
  const inspect = runtime.inspect.bind(runtime);
  runtime.inspect = async (id) => {
    inspections += 1;
    if (failures > 0) {
      failures -= 1;
      throw new Error('the runtime does not answer');
    }
    return inspect(id);
  };
  const workflows = {
    signalSession: async (id: string, signal: string) => {
      signals.push(`${signal} ${id}`);
      return isTaken;
    },
    signalServicePreview: async (id: string, signal: string) => {
      signals.push(`${signal} ${id}`);
      return isService;
    },
  };
  const watch = watchWorkloads({ runtime, workflows, workspaceOf, log: pino({ level: 'silent' }) });
  watches.push(watch);
  return {
    ...{ signals, runtime, watch, states: runtime.states },
    inspections: () => inspections,
    fail: (times: number) => {
      failures = times;
    },
  };
}

const container = (name: string, state: 'running' | 'restarting' = 'running') => ({ name, state });
const exited = (name: string): ContainerState => ({ name, state: 'exited', exitCode: 0, signal: null });
const running = (...containers: ContainerState[]): WorkloadState => ({ state: 'running', containers });
const well = running(container('sidecar'), container('agent'));
const ended = running(container('sidecar'), exited('agent'));
/** Another worker, hinted later, has looked and signalled: every worker looks after the same pause. */
const settled = async () => {
  const { states, signals } = start();
  states.set('later', ended);
  await eventually(() => expect(signals).toEqual(['workloadChanged later']));
};

describe('a worker that is hinted at a session', () => {
  it('signals nothing while all is well, and looks once at many hints', async () => {
    const { states, signals, inspections } = start();
    for (let time = 0; time < 50; time += 1) {
      states.set('a', well);
    }
    await settled();
    expect(signals).toEqual([]);
    expect(inspections()).toBe(1);
  });

  it.each([
    ['the agent exited', ended],
    ['the workload is lost', { state: 'lost', reason: 'killed' } as const],
    ['the sidecar restarts', running(container('sidecar', 'restarting'), container('agent'))],
    ['a server ended', running(container('sidecar'), container('agent'), exited('mcp-files'))],
  ])('signals its workflow once when %s, however often it is hinted', async (_what, state) => {
    const { states, signals } = start();
    states.set('a', well);
    await settled();
    for (let time = 0; time < 3; time += 1) {
      states.set('a', state);
      await settled();
    }
    expect(signals).toEqual(['workloadChanged a']);
  });

  it('signals the workflow of a preview’s service where no session has that workload', async () => {
    const { states, signals } = start({ isTaken: false, isService: true });
    states.set('a', well);
    await settled();
    states.set('a', ended);
    await settled();
    states.set('a', ended);
    await settled();
    expect(signals).toEqual(['workloadChanged a', 'serviceChanged a']);
  });

  it('signals again what is new: a second server that ended, that all is well, and a sidecar that is lost again', async () => {
    const { states, signals } = start();
    const alive = [container('sidecar'), container('agent')];
    const restarting = running(container('sidecar', 'restarting'), container('agent'));
    const one = running(...alive, exited('mcp-one'));
    const both = running(...alive, exited('mcp-one'), exited('mcp-two'));
    for (const state of [one, both, well, restarting, well, restarting]) {
      states.set('a', state);
      await settled();
    }
    expect(signals).toHaveLength(6);
  });

  it('signals that all is well again, so that a sidecar which restarts twice did not restart for all the time between', async () => {
    const { states, signals, watch } = start();
    states.set('a', running(container('sidecar', 'restarting'), container('agent')));
    await settled();
    expect(signals).toHaveLength(1);
    states.set('a', well);
    await settled();
    expect(signals).toHaveLength(2);
    states.set('a', well);
    await watch.lookAtAll(['a']);
    await settled();
    expect(signals).toHaveLength(2);
  });

  it('looks again when a change comes while it looks', async () => {
    const { states, signals, runtime } = start();
    const inspect = runtime.inspect.bind(runtime);
    const looks: (() => void)[] = [];
    runtime.inspect = async (id) => {
      const state = await inspect(id);
      await new Promise<void>((resolve) => looks.push(resolve));
      return state;
    };
    states.set('a', well);
    await eventually(() => expect(looks).toHaveLength(1));
    states.set('a', ended);
    looks[0]?.();
    await eventually(() => expect(looks).toHaveLength(2));
    looks[1]?.();
    await eventually(() => expect(signals).toEqual(['workloadChanged a']));
  });

  it('tries again when the runtime does not answer', async () => {
    const { states, signals, fail } = start();
    fail(2);
    states.set('a', ended);
    await eventually(() => expect(signals).toEqual(['workloadChanged a']));
  });

  it('forgets a workload that belongs to no session that runs', async () => {
    const { states, signals } = start({ isTaken: false });
    states.set('a', ended);
    await settled();
    states.delete('a');
    await settled();
    const ofSession = signals.filter((signal) => signal === 'workloadChanged a');
    expect(ofSession.length).toBeLessThanOrEqual(2);
  });

  it('looks at a workload of another workspace while the share of one is full of looks that do not end', async () => {
    const { states, signals, runtime } = start();
    const inspect = runtime.inspect.bind(runtime);
    let looks = 0;
    runtime.inspect = async (id) => {
      if (id.startsWith('loud')) {
        looks += 1;
        return new Promise<never>(() => undefined);
      }
      return inspect(id);
    };
    for (let at = 0; at < 20; at += 1) {
      states.set(`loud ${at}`, ended);
    }
    await eventually(() => expect(looks).toBe(5));
    states.set('quiet 1', ended);
    await eventually(() => expect(signals).toEqual(['workloadChanged quiet 1']));
    expect(looks).toBe(5);
  });

  it('looks although nobody can tell whose workload it is', async () => {
    const { states, signals } = start({
      workspaceOf: async () => {
        throw new Error('the database does not answer');
      },
    });
    states.set('a', ended);
    await eventually(() => expect(signals).toEqual(['workloadChanged a']));
  });

  it('does nothing once it is stopped', async () => {
    const { states, signals, watch } = start();
    watch.stop();
    states.set('a', ended);
    await settled();
    expect(signals).toEqual([]);
  });
});

describe('a worker that looks at all sessions without hints', () => {
  it('signals those that ended, again with each sweep, and no others', async () => {
    const { states, signals, watch } = start();
    states.watchers.clear();
    states.set('ended', ended);
    states.set('well', well);
    await watch.lookAtAll(['ended', 'well', 'absent']);
    await watch.lookAtAll(['ended', 'well', 'absent']);
    expect(signals.toSorted()).toEqual([
      ...Array(2).fill('workloadChanged absent'),
      ...Array(2).fill('workloadChanged ended'),
    ]);
  });

  it('signals once that a server ended', async () => {
    const { states, signals, watch } = start();
    states.watchers.clear();
    states.set('a', running(container('sidecar'), container('agent'), exited('mcp-files')));
    await watch.lookAtAll(['a']);
    await watch.lookAtAll(['a']);
    expect(signals).toEqual(['workloadChanged a']);
  });

  it('looks at the others when one cannot be looked at, and fails', async () => {
    const { states, signals, watch, fail } = start();
    states.watchers.clear();
    states.set('ended', ended);
    fail(1);
    await expect(watch.lookAtAll(['broken', 'ended'])).rejects.toThrow('does not answer');
    expect(signals).toEqual(['workloadChanged ended']);
  });
});
