import { describe, expect, it } from '@jest/globals';
import { createEndedWatch } from '../../../activities/workloads/announce-ended.ts';
import { exitOf } from '../../../activities/workloads/workload-exit.ts';
import type { ContainerState } from '../../../runtime/workload.ts';

const running = (...containers: ContainerState[]) => ({ state: 'running' as const, containers });
const agent = { name: 'agent', state: 'running' } as const;
const sidecar = { name: 'sidecar', state: 'running' } as const;
const exited = (name: string) => ({ name, state: 'exited' as const, exitCode: 1, signal: null });

describe('what the state of a workload means for its session', () => {
  it.each([
    ['nothing while all of it runs', running(agent, sidecar), 0],
    ['nothing while it is being started', running({ name: 'agent', state: 'waiting' }, sidecar), 0],
    ['nothing when an MCP server exits', running(agent, sidecar, exited('mcp-files')), 0],
    [
      'nothing while the sidecar comes back',
      running(agent, { name: 'sidecar', state: 'restarting' }),
      29_000,
    ],
  ])('is %s', (_what, state, restartingForMs) => {
    expect(exitOf(state, restartingForMs)).toBeNull();
  });

  it('is the end when the sidecar is lost, or does not restart in time', () => {
    expect(exitOf(running(agent, exited('sidecar')), 0)).toEqual({ kind: 'sidecar_lost' });
    const restarting = running(agent, { name: 'sidecar', state: 'restarting' });
    expect(exitOf(restarting, 31_000)).toEqual({ kind: 'sidecar_lost' });
  });

  it("is the agent's exit when the agent ended by itself", () => {
    expect(exitOf(running(exited('agent'), sidecar), 0)).toEqual({
      kind: 'agent_exited',
      exitCode: 1,
      signal: null,
    });
  });

  it('includes the reason of an end that the container did not cause', () => {
    const reason = 'it used more than its 256 MiB of memory';
    expect(exitOf(running({ ...exited('agent'), reason }, sidecar), 0)).toMatchObject({
      kind: 'agent_exited',
      reason,
    });
    expect(exitOf(running(agent, { ...exited('sidecar'), reason }), 0)).toEqual({
      kind: 'sidecar_lost',
      reason,
    });
  });

  it('is the loss of the sidecar when the host ended the agent because of it', () => {
    expect(exitOf(running(exited('agent'), exited('sidecar')), 0)).toEqual({ kind: 'sidecar_lost' });
  });

  it('is a loss when the workload does not exist', () => {
    expect(exitOf({ state: 'absent' }, 0)).toMatchObject({ kind: 'workload_lost' });
    expect(exitOf({ state: 'lost', reason: 'killed' }, 0)).toEqual({
      kind: 'workload_lost',
      reason: 'killed',
    });
  });
});

describe('an MCP server that ended', () => {
  const states = (...polls: [atMs: number, ...ContainerState[]][]) => {
    let nowMs = 0;
    const watch = createEndedWatch(() => nowMs);
    return polls.map(([atMs, ...containers]) => {
      nowMs = atMs;
      return watch(running(...containers)).map(({ name }) => name);
    });
  };
  const server = exited('mcp-files');

  it('is reported once, when the session continued without it for a while', () => {
    expect(
      states(
        [0, agent, sidecar],
        [1, agent, sidecar, server],
        [20_001, agent, sidecar, server],
        [30_000, server],
      ),
    ).toEqual([[], [], ['mcp-files'], []]);
  });

  it('is also the program that asks the agent’s language model', () => {
    const model = exited('model');
    expect(states([0, agent, sidecar, model], [20_001, agent, sidecar, model])).toEqual([[], ['model']]);
  });

  it('is not reported while all of the session ends', () => {
    const stopping = states(
      [0, agent, sidecar, server],
      [10_000, exited('agent'), sidecar, server],
      [25_000, exited('agent'), sidecar, server],
      [26_000, agent, exited('sidecar'), server],
    );
    expect(stopping.flat()).toEqual([]);
  });
});
