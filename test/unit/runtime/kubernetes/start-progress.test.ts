import { describe, expect, it } from '@jest/globals';
import { startProgress } from '../../../../runtime/kubernetes/start-progress.ts';
import { ended, podWith, running, waiting } from './pods.ts';

const progressOf = (sidecar: object, agent: object, status: object = {}) =>
  startProgress(podWith({ states: { sidecar, agent }, status }));

describe('the start progress of a Pod', () => {
  it('is complete when every container was started, even if one has ended again', () => {
    expect(progressOf(running, running)).toEqual({ state: 'started' });
    expect(progressOf(running, ended(127))).toEqual({ state: 'started' });
    expect(progressOf(running, waiting('ContainerCreating'))).toMatchObject({
      state: 'waiting',
      failedPulls: [],
    });
    expect(startProgress(podWith())).toMatchObject({ state: 'waiting' });
  });

  const wantsCredentials = 'its registry asks for credentials, or rejects those that it was given';
  it.each([
    ['InvalidImageName', 'couldn’t parse image name', 'InvalidImageName'],
    ['ErrImageNeverPull', 'Container image is not present with pull policy of Never', 'ErrImageNeverPull'],
    [
      'ErrImagePull',
      'failed to pull and unpack image: failed to authorize: 401 Unauthorized',
      wantsCredentials,
    ],
    [
      'ErrImagePull',
      'rpc error: code = NotFound desc = failed to resolve reference: registry/x@sha256:0: not found',
      'its registry does not have it',
    ],
    ['ImagePullBackOff', 'Back-off pulling image "x": ErrImagePull: pull access denied', wantsCredentials],
  ])('fails immediately when an image can never be pulled: %s', (reason, message, why) => {
    expect(progressOf(running, waiting(reason, message))).toEqual({
      state: 'failed',
      reason: `The image of container agent cannot be pulled: ${why}`,
    });
  });

  it('reports an image that may be available later, and nothing that a node found in its own network', () => {
    const message = 'dial tcp 10.0.0.1:443: connect: connection refused';
    const why = 'its registry does not answer as the node expects; the node’s log says more';
    expect(progressOf(running, waiting('ErrImagePull', message))).toMatchObject({
      state: 'waiting',
      failedPulls: [`The image of container agent cannot be pulled: ${why}`],
    });
    expect(progressOf(running, waiting('ImagePullBackOff', message))).toMatchObject({
      state: 'waiting',
      why: `The image of container agent cannot be pulled: ${why}`,
      failedPulls: [],
    });
  });

  it('reports the scheduler’s message for a Pod that fits nowhere', () => {
    const conditions = [
      {
        type: 'PodScheduled',
        status: 'False',
        reason: 'Unschedulable',
        message: '0/1 nodes are available: 1 Insufficient cpu.',
      },
    ];
    expect(startProgress(podWith({ status: { phase: 'Pending', conditions } }))).toMatchObject({
      state: 'waiting',
      why: 'no node of the cluster takes it: 0/1 nodes are available: 1 Insufficient cpu.',
    });
  });

  it('fails for a container that the node could not start, a preparation that failed and a Pod that was lost', () => {
    expect(progressOf(running, ended(128, { reason: 'StartError', message: 'no such file' }))).toMatchObject({
      state: 'failed',
    });
    expect(progressOf(waiting('PostStartHookError', 'exit 1'), running)).toMatchObject({ state: 'failed' });
    expect(progressOf(running, running, { phase: 'Failed', reason: 'Evicted', message: 'disk' })).toEqual({
      state: 'failed',
      reason: 'The workload was lost while it started: its node evicted it: disk',
    });
  });
});
