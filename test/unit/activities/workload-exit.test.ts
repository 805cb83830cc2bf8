import { describe, expect, it } from '@jest/globals';
import { endedBesideAgent } from '../../../activities/workloads/announce-ended.ts';
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

it('what ended beside a running agent is a server, a sibling, or the program that asks its model', () => {
  const companions = [exited('mcp-files'), exited('sibling-db'), exited('model')];
  expect(endedBesideAgent(running(agent, sidecar, ...companions))).toEqual(companions);
  expect(endedBesideAgent(running(agent, sidecar, exited('init')))).toEqual([]);
  expect(endedBesideAgent(running(exited('agent'), sidecar, ...companions))).toEqual([]);
  expect(endedBesideAgent(running(agent, exited('sidecar'), ...companions))).toEqual([]);
});
