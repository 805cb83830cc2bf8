import { describe, expect, it } from '@jest/globals';
import { describePod } from '../../../../runtime/kubernetes/describe-pod.ts';
import { ended, podWith, running, waiting } from './pods.ts';

const agentOf = (agent: object) => {
  const described = describePod(podWith({ states: { sidecar: running, agent } }));
  return described.state === 'running'
    ? described.containers.find(({ name }) => name === 'agent')
    : described;
};

describe('a Pod as a workload', () => {
  it('has its containers in order, waiting if the node has not reported on them', () => {
    expect(describePod(podWith({ states: { sidecar: running } }))).toEqual({
      state: 'running',
      containers: [
        { name: 'sidecar', state: 'running' },
        { name: 'agent', state: 'waiting' },
      ],
    });
    expect(agentOf(waiting('ContainerCreating'))).toEqual({ name: 'agent', state: 'waiting' });
  });

  it('has exit codes, and never a program’s own termination message', () => {
    expect(agentOf(ended(7, { message: 'a secret' }))).toEqual({
      name: 'agent',
      state: 'exited',
      exitCode: 7,
      signal: null,
    });
  });

  it.each([
    [{ reason: 'OOMKilled', message: 'mine' }, 'it used more than the 256 MiB of memory that it may use'],
    [{ reason: 'ContainerStatusUnknown' }, 'its node lost track of it'],
    [
      { reason: 'StartError', message: 'exec failed:\n no such file' },
      'it could not be started: exec failed: no such file',
    ],
  ])('reports why a container was ended: %j', (terminated, reason) => {
    expect(agentOf(ended(137, terminated))).toMatchObject({ state: 'exited', exitCode: 137, reason });
  });

  it('counts a sidecar whose preparation failed as ended', () => {
    const described = describePod(
      podWith({ states: { sidecar: waiting('PostStartHookError', 'x'), agent: running } }),
    );
    expect(described).toMatchObject({
      containers: [{ name: 'sidecar', state: 'exited', exitCode: null }, {}],
    });
  });

  it.each([
    [
      { status: { phase: 'Failed', reason: 'Evicted', message: 'low on resource: memory' } },
      'its node evicted it: low on resource: memory',
    ],
    [
      { status: { phase: 'Failed', reason: 'DeadlineExceeded' }, spec: { activeDeadlineSeconds: 60 } },
      'its Pod ran longer than the 60 seconds that a session may take',
    ],
    [
      { status: { phase: 'Failed', reason: 'OutOfcpu', message: 'no room' } },
      'its Pod ended (OutOfcpu): no room',
    ],
    [{ status: { reason: 'NodeLost', message: 'node n1' } }, 'its node does not answer: node n1'],
    [
      { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } },
      'its Pod was deleted, and not by the platform',
    ],
    [
      {
        metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' },
        status: {
          conditions: [
            {
              type: 'DisruptionTarget',
              status: 'True',
              reason: 'DeletionByTaintManager',
              message: 'Taint manager: deleting',
            },
          ],
        },
      },
      'its node was lost: Taint manager: deleting',
    ],
    [
      {
        metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' },
        status: {
          conditions: [
            { type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI', message: 'drain' },
          ],
        },
      },
      'its node is being emptied: drain',
    ],
  ])('is lost, with a reason: %j', (changes, reason) => {
    expect(describePod(podWith({ states: { sidecar: running, agent: running }, ...changes }))).toEqual({
      state: 'lost',
      reason,
    });
  });

  it('is not lost while its node is only slow to respond', () => {
    const conditions = [{ type: 'Ready', status: 'False', reason: 'NodeNotReady' }];
    expect(
      describePod(podWith({ states: { sidecar: running, agent: running }, status: { conditions } })),
    ).toMatchObject({ state: 'running' });
  });
});
