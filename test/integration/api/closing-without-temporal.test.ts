/** A workspace that is closed while Temporal is silent for the API, and no worker looks. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createWorkflowClient, type WorkflowClient } from '../../../api/workflow-client.ts';
import { endInClosedWorkspaces } from '../../../bin/worker/closed-workspaces.ts';
import type { Agent } from '../../../contract/agent.ts';
import type { ShownSchedule } from '../../../contract/schedule.ts';
import { temporalScheduleId } from '../../../contract/workflows.ts';
import { abandonAfter } from '../../../lib/timing/time-limit.ts';
import { eventually } from '../../support/eventually.ts';
import { type SessionApi, startSessionApi } from '../../support/session-api.ts';
import { type SilentServer, startSilentServer } from '../../support/silent-server.ts';
import { temporalAddress } from '../../support/temporal.ts';

let silent: SilentServer;
let api: SessionApi;
let temporal: WorkflowClient;
beforeAll(async () => {
  silent = await startSilentServer();
  api = await startSessionApi({ TEMPORAL_ADDRESS: silent.address });
  temporal = createWorkflowClient({ address: temporalAddress(), namespace: 'default' });
});
afterAll(async () => {
  const ids: string[] = await api.db('schedules').pluck('id');
  await Promise.all(ids.map((id) => temporal.schedules.remove(id)));
  await api.db('schedules').delete();
  await temporal.close();
  await api.stop();
  silent.hangUp();
});

/** An API that waits for Temporal takes half a minute here. */
const lateMs = 12_000;

it('is answered at once, and has ended once Temporal has taken everything', async () => {
  const { admin, member, base, workspace } = await api.workspace();
  const { agent } = await member.ok<{ agent: Agent }>('POST', `${base}/agents`, {
    name: 'quiet',
    run: { type: 'builtin', name: 'scripted' },
  });
  const made = { agent_id: agent.id, prompt: 'Do it', spec: { kind: 'cron', expression: '0 0 1 1 *' } };
  const names = ['first', 'second'];
  const schedules = await Promise.all(
    names.map((name) =>
      member.ok<{ schedule: ShownSchedule }>('POST', `${base}/schedules`, { ...made, name }),
    ),
  );
  const [first, second] = schedules.map(({ schedule }) => schedule.id);
  const closing = admin.send('POST', `${base}/close`, { name: workspace.name });
  const late = () => {
    throw new Error('the answer waits for Temporal');
  };
  expect(await abandonAfter(lateMs, closing, late)).toMatchObject({ status: 200 });
  const pausedAt = () => api.db('schedules').where({ workspace_id: workspace.id }).pluck('paused_at');
  await eventually(async () => expect(await pausedAt()).not.toContain(null));
  const endedAt = () => api.db('workspaces').where({ id: workspace.id }).first('closing_ended_at');
  expect(await endedAt()).toEqual({ closing_ended_at: null });
  expect(await admin.send('POST', `${base}/reopen`, {})).toMatchObject({ status: 409 });

  const sweep = (refusedId?: string) =>
    endInClosedWorkspaces({
      dependencies: { db: api.db, log: { warn: () => undefined } as never },
      workflows: temporal,
      schedules: {
        ...temporal.schedules,
        async put(schedule, options) {
          if (schedule.id === refusedId) {
            throw new Error('Temporal does not take this one');
          }
          return temporal.schedules.put(schedule, options);
        },
      },
    });
  const isPaused = async (id = '') =>
    (await api.temporal.schedule.getHandle(temporalScheduleId(id)).describe()).state.paused;
  await sweep(first);
  expect(await isPaused(second)).toBe(true);
  expect(await endedAt()).toEqual({ closing_ended_at: null });
  await sweep();
  expect(await isPaused(first)).toBe(true);
  expect(await endedAt()).toEqual({ closing_ended_at: expect.any(String) });
  expect(await admin.send('POST', `${base}/reopen`, {})).toMatchObject({ status: 200 });
});
