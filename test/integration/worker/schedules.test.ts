/** Schedules on the real Temporal: what fires, what overlaps, and how its copies follow the rows. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { repairScheduleCopies } from '../../../bin/worker/repair-schedule-copies.ts';
import { removeMember } from '../../../commands/members/members.ts';
import { pauseSchedule, resumeSchedule } from '../../../commands/schedules/pause.ts';
import { removeSchedule, updateSchedule } from '../../../commands/schedules/save.ts';
import { runIdOf } from '../../../commands/schedules/start-run.ts';
import type { Schedule } from '../../../contract/schedule.ts';
import {
  scheduledRunWorkflowId,
  sessionSignals,
  sessionWorkflowId,
  temporalScheduleId,
} from '../../../contract/workflows.ts';
import { listRuns } from '../../../store/schedules/runs.ts';
import { readSession, requestEnding } from '../../../store/sessions/sessions.ts';
import { createWorkflows } from '../../../workflows/client.ts';
import { createSchedules, type Schedules } from '../../../workflows/schedules-client.ts';
import { createTestActivities, type TestActivities } from '../../support/activities.ts';
import { startActivityWorker } from '../../support/activity-worker.ts';
import { eventually } from '../../support/eventually.ts';
import type { Tenant } from '../../support/tenant.ts';
import type { TestWorker } from '../../support/worker.ts';

let activities: TestActivities;
let tenant: Tenant;
let worker: TestWorker;
let schedules: Schedules;

beforeAll(async () => {
  activities = await createTestActivities();
  tenant = await activities.tenant();
  worker = await startActivityWorker(activities.dependencies);
  activities.dependencies.workflows = createWorkflows(worker.client.workflow, worker.taskQueue);
  schedules = createSchedules(worker.client.schedule, worker.taskQueue);
});
afterAll(async () => {
  for (const id of (await schedules.list()).keys()) {
    await schedules.remove(id);
  }
  await worker.stop();
  await activities.drop();
});

const { log } = { log: { warn: () => {} } };
const sweep = (with_: Pick<Schedules, 'list' | 'put' | 'remove'> = schedules, trustsList = true) =>
  repairScheduleCopies({ db: activities.db, schedules: with_, log }, { trustsList });
const key = (id: string) => ({ workspaceId: tenant.workspace.id, id });

async function followed(fields: Parameters<Tenant['schedule']>[0] = {}): Promise<Schedule> {
  const schedule = await tenant.schedule(fields);
  await schedules.put(schedule);
  return schedule;
}

const runsOf = async ({ id }: Schedule) =>
  (await listRuns(activities.db, { scheduleId: id, readerId: null }, { limit: 50 })).items;
const runsAre = (schedule: Schedule, ...expected: object[]) =>
  eventually(async () => expect(await runsOf(schedule)).toMatchObject(expected));
const describeCopy = (id: string) => worker.client.schedule.getHandle(temporalScheduleId(id)).describe();

async function endSession(id: string): Promise<void> {
  const by = { type: 'system', id: null } as const;
  await requestEnding(activities.db, id, { by, status: 'terminated', reason: 'Enough', summary: null });
  // Its row is there a moment before its workflow, which may find by itself that it is to end.
  const workflow = worker.client.workflow.getHandle(sessionWorkflowId(id));
  await eventually(async () => {
    if ((await readSession(activities.db, id))?.ended_at === null) {
      await workflow.signal(sessionSignals.terminate);
    }
  });
}

/** Asks for a run in a second of its own: two of one second are one run. */
async function trigger(schedule: Schedule): Promise<void> {
  const second = () => Math.floor(Date.now() / 1000);
  const now = second();
  await eventually(() => expect(second()).toBeGreaterThan(now));
  await schedules.trigger(schedule);
}

/** The session of the newest run, once there is one. */
async function newestSession(schedule: Schedule, runs = 1): Promise<string> {
  let found: string | null | undefined;
  await eventually(async () => {
    const all = await runsOf(schedule);
    expect(all).toHaveLength(runs);
    found = all[0]?.session_id;
    expect(found).toEqual(expect.any(String));
  });
  return String(found);
}

describe('a schedule', () => {
  it('fires by itself, and its session is its maker’s in no way but to read and end', async () => {
    const schedule = await followed({
      spec: { kind: 'interval', every_seconds: 2 },
      request_expiry_seconds: 120,
    });
    await eventually(async () => expect((await runsOf(schedule)).length).toBeGreaterThanOrEqual(1));
    await schedules.remove(schedule.id);
    const [run] = await runsOf(schedule);
    const sessionId = String(run?.session_id);
    expect(await readSession(activities.db, sessionId)).toMatchObject({
      operator_id: null,
      root_operator_id: null,
      schedule_id: schedule.id,
      schedule_maker_id: tenant.max.id,
      prompt: 'Look around',
    });
    expect(run).toMatchObject({ outcome: 'started', detail: null });
    const row = await activities.db('sessions').where({ id: sessionId }).first('request_expiry_seconds');
    expect(row).toEqual({ request_expiry_seconds: 120 });
    const [created] = await activities
      .db('audit_events')
      .where({ event: 'session.created', session_id: sessionId });
    expect(created).toMatchObject({
      actor_type: 'system',
      data: { schedule_id: schedule.id, schedule_maker_id: tenant.max.id },
    });
    await eventually(async () =>
      expect((await readSession(activities.db, sessionId))?.status).toBe('starting'),
    );
    await endSession(sessionId);
  });

  it('says when it is due next, in its time zone', async () => {
    const spec = { kind: 'cron', expression: '30 2 13 * FRI' } as const;
    const { id } = await followed({ spec, time_zone: 'America/New_York' });
    const outlook = await schedules.readOutlook(id);
    expect(outlook).toMatchObject({ skipped_for_overlap: 0, missed: 0 });
    expect(outlook?.next_times).toHaveLength(5);
    for (const at of outlook?.next_times ?? []) {
      const inZone = new Intl.DateTimeFormat('en-US', {
        timeZone: 'America/New_York',
        ...({
          weekday: 'short',
          day: 'numeric',
          hour: '2-digit',
          minute: '2-digit',
          hourCycle: 'h23',
        } as const),
      }).format(new Date(at));
      expect(inZone).toMatch(/^(Fri|\w+ 13|13 \w+|.*Fri).*02:30$/);
    }
    expect(await schedules.readOutlook(randomUUID())).toBeNull();
  });
});

describe('a run', () => {
  it('is asked for, and left out while the session of the one before goes on', async () => {
    const schedule = await followed({ overlap: 'skip' });
    await trigger(schedule);
    const sessionId = await newestSession(schedule);
    await trigger(schedule);
    await eventually(async () =>
      expect((await schedules.readOutlook(schedule.id))?.skipped_for_overlap).toBe(1),
    );
    await endSession(sessionId);
    await eventually(async () => expect((await describeCopy(schedule.id)).info.runningActions).toEqual([]));
    await trigger(schedule);
    await endSession(await newestSession(schedule, 2));
  });

  it('waits for the end of the one before', async () => {
    const schedule = await followed({ overlap: 'buffer_one' });
    await trigger(schedule);
    const first = await newestSession(schedule);
    await trigger(schedule);
    await eventually(async () => expect((await readSession(activities.db, first))?.status).toBe('starting'));
    expect(await runsOf(schedule)).toHaveLength(1);
    await endSession(first);
    await endSession(await newestSession(schedule, 2));
  });

  it('ends the one before', async () => {
    const schedule = await followed({ overlap: 'cancel_other' });
    await trigger(schedule);
    const first = await newestSession(schedule);
    await trigger(schedule);
    const second = await newestSession(schedule, 2);
    expect(await readSession(activities.db, first)).toMatchObject({
      status: 'terminated',
      status_reason: 'It was time for the next run of its schedule',
    });
    await endSession(second);
  });

  it('that is started twice for one time has one session', async () => {
    const schedule = await tenant.schedule({ overlap: 'allow_all' });
    const scheduledAt = `${new Date().toISOString().slice(0, 19)}Z`;
    const due = { scheduleId: schedule.id, scheduledAt };
    const start = () =>
      worker.client.workflow.start('scheduledRunWorkflow', {
        workflowId: scheduledRunWorkflowId(due),
        taskQueue: worker.taskQueue,
        workflowIdReusePolicy: 'TERMINATE_IF_RUNNING',
        args: [{ scheduleId: schedule.id }],
      });
    await start();
    await newestSession(schedule);
    await start();
    const sessionId = runIdOf(due);
    await runsAre(schedule, { id: sessionId, session_id: sessionId, outcome: 'started' });
    await endSession(sessionId);
  });

  it('of another schedule’s workflow starts nothing', async () => {
    const [own, other] = [await tenant.schedule(), await tenant.schedule()];
    const workflowId = scheduledRunWorkflowId({ scheduleId: own.id, scheduledAt: '2026-11-27T06:00:00Z' });
    const { taskQueue } = worker;
    const args = [{ scheduleId: other.id }];
    const running = await worker.client.workflow.start('scheduledRunWorkflow', {
      workflowId,
      taskQueue,
      args,
    });
    await expect(running.result()).rejects.toThrow();
    expect([...(await runsOf(own)), ...(await runsOf(other))]).toEqual([]);
  });
});

describe('Temporal', () => {
  it('has no copy for long of a version that no row has, nor one that was changed under its own', async () => {
    const schedule = await followed();
    const handle = worker.client.schedule.getHandle(temporalScheduleId(schedule.id));
    const change = (note: string) =>
      handle.update((copy) => ({
        ...copy,
        policies: { ...copy.policies, overlap: 'ALLOW_ALL' as const },
        state: { ...copy.state, note },
      }));
    await change('version 999999');
    await eventually(async () => {
      await sweep();
      const { policies, state } = await describeCopy(schedule.id);
      expect([policies.overlap, state.note]).toEqual(['SKIP', 'version 1']);
    });
    await change('version 1');
    await sweep(schedules, false);
    expect((await describeCopy(schedule.id)).policies.overlap).toBe('SKIP');
  });

  it('is written every copy while it does not list them', async () => {
    const schedule = await tenant.schedule();
    const list = async () => {
      throw new Error('a memo of another application cannot be read');
    };
    await sweep({ ...schedules, list });
    expect((await describeCopy(schedule.id)).state.note).toBe('version 1');
  });

  it('follows a row that it was not notified of, its change, its pause and its end', async () => {
    const unreachable = async () => {
      throw new Error('Temporal does not answer');
    };
    const schedule = await tenant.schedule();
    await sweep({ ...schedules, put: unreachable });
    expect(await schedules.readOutlook(schedule.id)).toBeNull();
    await sweep();
    expect((await describeCopy(schedule.id)).state).toMatchObject({ paused: false, note: 'version 1' });

    await updateSchedule(
      activities.db,
      key(schedule.id),
      { overlap: 'buffer_one', catch_up_window_seconds: 172_800 },
      { userId: tenant.max.id, shortestIntervalSeconds: 60 },
    );
    await pauseSchedule(activities.db, key(schedule.id), { userId: tenant.max.id, note: 'A secret matter' });
    await sweep();
    const copy = await describeCopy(schedule.id);
    expect(copy.state).toMatchObject({ paused: true, note: 'version 3' });
    expect(copy.policies).toMatchObject({ overlap: 'BUFFER_ONE', catchupWindow: 172_800_000 });
    expect(JSON.stringify(copy.raw)).not.toContain('secret matter');
    expect(await schedules.readOutlook(schedule.id)).toMatchObject({ next_times: [] });

    // An older row that is late changes nothing.
    await schedules.put(schedule);
    expect((await describeCopy(schedule.id)).state.note).toBe('version 3');

    await resumeSchedule(activities.db, key(schedule.id), { userId: tenant.max.id });
    await worker.client.schedule.getHandle(temporalScheduleId(schedule.id)).delete();
    await eventually(async () => {
      await sweep();
      expect((await describeCopy(schedule.id)).state).toMatchObject({ paused: false, note: 'version 4' });
    });

    await removeSchedule(activities.db, key(schedule.id), { userId: tenant.max.id });
    await eventually(async () => {
      await sweep();
      expect(await schedules.readOutlook(schedule.id)).toBeNull();
    });
  });

  it('resumes what somebody paused behind the platform’s back', async () => {
    const schedule = await followed();
    await worker.client.schedule.getHandle(temporalScheduleId(schedule.id)).pause('by hand');
    await eventually(async () => {
      await sweep();
      expect((await describeCopy(schedule.id)).state.paused).toBe(false);
    });
  });

  it('keeps the schedules of another platform', async () => {
    const foreign = createSchedules(worker.client.schedule, `other-${randomUUID()}`);
    const schedule = { ...(await tenant.schedule()), id: randomUUID() };
    await foreign.put(schedule);
    await eventually(async () => expect((await foreign.list()).has(schedule.id)).toBe(true));
    expect((await schedules.list()).has(schedule.id)).toBe(false);
    await sweep();
    expect(await foreign.readOutlook(schedule.id)).not.toBeNull();
    await foreign.remove(schedule.id);
    await foreign.remove(schedule.id);
  });

  it('takes the others when it does not take one', async () => {
    const [broken, fine] = [await tenant.schedule(), await tenant.schedule()];
    await activities.db('schedules').where({ id: broken.id }).update({ time_zone: 'Mars/Olympus' });
    await sweep();
    expect(await schedules.readOutlook(broken.id)).toBeNull();
    expect(await schedules.readOutlook(fine.id)).not.toBeNull();
    await removeSchedule(activities.db, key(broken.id), { userId: tenant.max.id });
  });
});

it('the schedules of a member who leaves pause with them, and their sessions end', async () => {
  const own = await activities.tenant();
  const schedule = await own.schedule();
  await trigger(schedule);
  const sessionId = await newestSession(schedule);
  const by = { type: 'user', id: own.ada.id } as const;
  expect(
    await removeMember(activities.db, { workspaceId: own.workspace.id, userId: own.max.id, by }),
  ).toEqual({
    result: 'done',
    endedSessionIds: [sessionId],
    pausedScheduleIds: [schedule.id],
  });
  await sweep();
  expect((await describeCopy(schedule.id)).state.paused).toBe(true);
  await endSession(sessionId);
  await eventually(async () =>
    expect((await readSession(activities.db, sessionId))?.status).toBe('terminated'),
  );
});
