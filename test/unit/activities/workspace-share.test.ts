import { describe, expect, it } from '@jest/globals';
import {
  decisionsAtATime,
  inDecisionShare,
  inLaunchShare,
  inShare,
  localActivitiesOfWorkspace,
  shareOfConnections,
  shortActivities,
  shortActivitiesOfWorkspace,
} from '../../../activities/workspace-share.ts';

/** A worker with so many slots, of which a workspace has half. */
const ofWorker = { limits: { WORKER_MAX_SESSIONS: 4 } };
const share = (shortActivities + 4) / 2;
const of = (workspaceId: string) => ({ workspaceId, type: 'launch_refused' }) as const;
/** Takes the whole share, until the returned function is called. */
function takeAll(workspaceId: string): () => Promise<unknown> {
  let letGo = () => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const running = Array.from({ length: share }, () => inShare(ofWorker, of(workspaceId), () => held));
  return () => {
    letGo();
    return Promise.all(running);
  };
}
const done = async () => 'done';

describe('the share of a workspace of what a worker does at a time', () => {
  it('is half: what is beyond it is refused for the moment, and others go on', async () => {
    const end = takeAll('loud');
    await expect(inShare(ofWorker, of('loud'), done)).rejects.toMatchObject({
      type: 'launch_refused',
      nonRetryable: false,
      message: expect.stringContaining(`${share} launches and registrations`),
    });
    expect(await inShare(ofWorker, of('quiet'), done)).toBe('done');
    await end();
    expect(await inShare(ofWorker, of('loud'), done)).toBe('done');
  });

  it('is given back by what fails', async () => {
    const failing = async () => {
      throw new Error('it fails');
    };
    for (let tried = 0; tried < 2 * share; tried += 1) {
      await expect(inShare(ofWorker, of('failing'), failing)).rejects.toThrow('it fails');
    }
    expect(await inShare(ofWorker, of('failing'), done)).toBe('done');
  });
});

describe('the share of a workspace of the decisions that a worker carries out at a time', () => {
  it('is half: what is beyond it gives its slot back and is tried again soon, and others go on', async () => {
    let letGo = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const running = Array.from({ length: decisionsAtATime / 2 }, () => inDecisionShare('loud', () => held));
    await expect(inDecisionShare('loud', done)).rejects.toMatchObject({
      nonRetryable: false,
      nextRetryDelay: 500,
    });
    expect(await inDecisionShare('quiet', done)).toBe('done');
    expect(await inShare(ofWorker, of('loud'), done)).toBe('done');
    letGo();
    await Promise.all(running);
    expect(await inDecisionShare('loud', done)).toBe('done');
  });
});

it.each([
  [true, localActivitiesOfWorkspace],
  [false, shortActivitiesOfWorkspace],
])(
  'steps of launches have half of the slots (within their task: %s), and others go on',
  async (isLocal, most) => {
    const loud = { workspaceId: `loud ${isLocal}`, isLocal };
    let letGo = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const running = Array.from({ length: most }, () => inLaunchShare(loud, () => held));
    await expect(inLaunchShare(loud, done)).rejects.toMatchObject({
      nonRetryable: false,
      nextRetryDelay: 5000,
    });
    expect(await inLaunchShare({ workspaceId: 'quiet', isLocal }, done)).toBe('done');
    expect(await inLaunchShare({ ...loud, isLocal: !isLocal }, done)).toBe('done');
    letGo();
    await Promise.all(running);
    expect(await inLaunchShare(loud, done)).toBe('done');
  },
);

it.each([
  [8, 4],
  [6, 3],
  [3, 1],
  [2, 1],
  [1, 1],
])('of a pool of %i connections a workspace has %i', (poolSize, share) => {
  expect(shareOfConnections(poolSize)).toBe(share);
});
