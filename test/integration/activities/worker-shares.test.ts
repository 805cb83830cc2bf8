/** What one workspace has a worker do at a time leaves slots to others. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import {
  inLaunchShare,
  inShare,
  shortActivities,
  shortActivitiesOfWorkspace,
} from '../../../activities/workspace-share.ts';
import { createTestActivities, type TestActivities } from '../../support/activities.ts';
import { eventually } from '../../support/eventually.ts';

let activities: TestActivities;
beforeAll(async () => {
  activities = await createTestActivities();
});
afterAll(() => activities.drop());

/** Takes what a workspace may have, until the returned function is called. */
function takeShare(workspaceId: string): () => Promise<unknown> {
  const { dependencies } = activities;
  const most = Math.floor((dependencies.limits.WORKER_MAX_SESSIONS + shortActivities) / 2);
  let letGo = () => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const running = Array.from({ length: most }, () =>
    inShare(dependencies, { workspaceId, type: 'launch_refused' }, () => held),
  );
  return () => {
    letGo();
    return Promise.all(running);
  };
}

async function validated(tenant: Awaited<ReturnType<TestActivities['tenant']>>): Promise<string> {
  const { id: sessionId } = await tenant.session(await tenant.agent());
  await activities.run('freezeConfiguration', { sessionId });
  await activities.run('validateLaunch', { sessionId });
  return sessionId;
}

it('a launch is refused for the moment while its workspace has its share, and others start', async () => {
  const [tenant, other] = [await activities.tenant(), await activities.tenant()];
  const [own, theirs] = [await validated(tenant), await validated(other)];
  const { limits } = activities.dependencies;
  activities.dependencies.limits = { ...limits, WORKER_MAX_SESSIONS: 10 };
  const end = takeShare(tenant.workspace.id);
  const started = () => activities.runtime.started.map(({ configuration }) => configuration.session_id);
  try {
    await expect(activities.run('startWorkload', { sessionId: own })).rejects.toMatchObject({
      type: 'launch_refused',
      nonRetryable: false,
    });
    await activities.run('startWorkload', { sessionId: theirs });
    expect(started()).toEqual([theirs]);
  } finally {
    await end();
    activities.dependencies.limits = limits;
  }
  await activities.run('startWorkload', { sessionId: own });
  expect(started()).toEqual([theirs, own]);
});

it('the steps of launches of one workspace leave half of the short slots to others', async () => {
  const [tenant, other] = [await activities.tenant(), await activities.tenant()];
  const { id: sessionId } = await tenant.session(await tenant.agent());
  let letGo = () => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const share = { workspaceId: tenant.workspace.id, isLocal: false };
  const steps = Array.from({ length: shortActivitiesOfWorkspace }, () => inLaunchShare(share, () => held));
  await expect(activities.run('freezeConfiguration', { sessionId })).rejects.toMatchObject({
    nonRetryable: false,
    nextRetryDelay: 5000,
  });
  await validated(other);
  letGo();
  await Promise.all(steps);
  await activities.run('freezeConfiguration', { sessionId });
});

it('sessions of one workspace whose workloads keep silent leave half of the short slots to others', async () => {
  const [tenant, other] = [await activities.tenant(), await activities.tenant()];
  const { id: sessionId } = await tenant.session(await tenant.agent());
  const { id: theirs } = await other.session(await other.agent());
  const { runtime } = activities;
  let letGo = () => {};
  const silent = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  let held = 0;
  const inspect = runtime.inspect.bind(runtime);
  runtime.inspect = async (id) => {
    if (id === sessionId) {
      held += 1;
      await silent;
    }
    return inspect(id);
  };
  const looks = Array.from({ length: shortActivities }, () =>
    activities.run('inspectWorkload', { sessionId, lastingMs: {} }),
  );
  const refusals: unknown[] = [];
  const ended = looks.map((look) => look.catch((error: unknown) => void refusals.push(error)));
  await eventually(() =>
    expect([held, refusals.length]).toEqual([shortActivitiesOfWorkspace, shortActivitiesOfWorkspace]),
  );
  expect(refusals[0]).toMatchObject({ nonRetryable: false, nextRetryDelay: 1000 });
  await activities.run('listOpenRequests', { sessionId: theirs });
  await activities.run('inspectWorkload', { sessionId: theirs, lastingMs: {} });
  letGo();
  await Promise.all(ended);
  runtime.inspect = inspect;
});
