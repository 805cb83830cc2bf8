/** What is looked at when a schedule is due. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { removeAgent } from '../../../../commands/agents/archive.ts';
import { pauseSchedule } from '../../../../commands/schedules/pause.ts';
import { removeSchedule } from '../../../../commands/schedules/save.ts';
import { requestRun, runIdOf, startScheduledRun } from '../../../../commands/schedules/start-run.ts';
import { createWithinQuotas } from '../../../../commands/sessions/create.ts';
import type { Schedule } from '../../../../contract/schedule.ts';
import { listRuns, removeOldRuns } from '../../../../store/schedules/runs.ts';
import { readSchedule } from '../../../../store/schedules/schedules.ts';
import { requestEnding } from '../../../../store/sessions/sessions.ts';
import { createTestDatabase, type TestDatabase } from '../../../support/database.ts';
import { createTenant, type Tenant, testMasterKeys } from '../../../support/tenant.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const unlimited = {
  LIMIT_RUNNING_SESSIONS_PER_USER: 1000,
  LIMIT_RUNNING_SESSIONS_PER_WORKSPACE: 1000,
  RATE_SESSIONS_PER_HOUR_PER_USER: 1000,
  RATE_SESSIONS_PER_HOUR_PER_WORKSPACE: 1000,
};
/** A minute ago, and a few seconds later. */
const begunMs = Date.now() - 60_000;
const at = (second: number) => new Date(begunMs + second * 1000).toISOString();
const scheduledAt = at(0);

async function stored(): Promise<{ tenant: Tenant; schedule: Schedule }> {
  const tenant = await createTenant(database.db, testMasterKeys());
  const schedule = await tenant.schedule({
    ...{ name: 'Nightly', prompt: 'Look', spec: { kind: 'interval', every_seconds: 3600 } },
  });
  return { tenant, schedule };
}

const start = ({ id }: Schedule, when = scheduledAt, quotas = unlimited) =>
  startScheduledRun(database.db, { scheduleId: id, scheduledAt: when }, quotas);
const runsOf = async ({ id }: Schedule) =>
  (await listRuns(database.db, { scheduleId: id, readerId: null }, { limit: 10 })).items;

describe('a schedule that is due', () => {
  it('starts one session for one time, also when that comes twice at once', async () => {
    const { schedule } = await stored();
    const started = await Promise.all([start(schedule), start(schedule), start(schedule)]);
    const id = runIdOf({ scheduleId: schedule.id, scheduledAt });
    expect(started).toEqual([id, id, id]);
    expect(await runsOf(schedule)).toMatchObject([{ id, outcome: 'started', session_status: 'pending' }]);
    expect(await start(schedule, at(1))).not.toBe(id);
  });

  it('knows who had it run beside its times', async () => {
    const { tenant, schedule } = await stored();
    const ask = (of: Schedule) =>
      requestRun(database.db, { workspaceId: tenant.workspace.id, id: of.id }, { userId: tenant.max.id });
    await ask(schedule);
    const now = new Date();
    now.setMilliseconds(1);
    await start(schedule, now.toISOString());
    // Each second is one of its times, also when somebody just asked.
    const busy = await tenant.schedule({ name: 'Busy', spec: { kind: 'interval', every_seconds: 1 } });
    await ask(busy);
    now.setMilliseconds(0);
    await start(busy, now.toISOString());
    const { id, name } = tenant.max;
    expect(await runsOf(schedule)).toMatchObject([{ outcome: 'started', requested_by: { id, name } }]);
    expect(await runsOf(busy)).toMatchObject([{ outcome: 'started', requested_by: null }]);
    await start(schedule, at(5));
    expect((await runsOf(schedule))[0]).toMatchObject({ requested_by: null });
  });

  it('has no session once it is paused', async () => {
    const { tenant, schedule } = await stored();
    const key = { workspaceId: tenant.workspace.id, id: schedule.id };
    await pauseSchedule(database.db, key, { userId: tenant.max.id, note: null });
    expect(await start(schedule)).toBeNull();
    expect(await runsOf(schedule)).toMatchObject([{ outcome: 'paused', session_id: null }]);
  });

  it('has none, and is paused, once its maker is no member, however that came about', async () => {
    const { tenant, schedule } = await stored();
    await database.db('members').where({ user_id: tenant.max.id }).delete();
    expect(await start(schedule)).toBeNull();
    expect(await start(schedule, at(1))).toBeNull();
    expect(await runsOf(schedule)).toMatchObject([{ outcome: 'maker_left' }, { outcome: 'maker_left' }]);
    expect(await readSchedule(database.db, schedule.id)).toMatchObject({ pause_reason: 'maker_left' });
    const paused = await database
      .db('audit_events')
      .where({ event: 'schedule.paused', resource_id: schedule.id });
    expect(paused).toMatchObject([{ actor_type: 'system', data: { reason: 'maker_left' } }]);
  });

  it('has none once its agent was removed', async () => {
    const { tenant, schedule } = await stored();
    const removed = await removeAgent(database.db, String(schedule.agent_id), tenant.max.id);
    expect(removed).toEqual({ result: 'removed', pausedScheduleIds: [schedule.id] });
    expect(await start(schedule)).toBeNull();
    expect(await runsOf(schedule)).toMatchObject([{ outcome: 'agent_removed' }]);
  });

  it('has none, and is paused, once its agent is archived, however that came about', async () => {
    const { schedule } = await stored();
    const archived_at = new Date().toISOString();
    await database
      .db('agents')
      .where({ id: String(schedule.agent_id) })
      .update({ archived_at });
    expect(await start(schedule)).toBeNull();
    expect(await runsOf(schedule)).toMatchObject([{ outcome: 'agent_archived', session_id: null }]);
    expect(await readSchedule(database.db, schedule.id)).toMatchObject({ pause_reason: 'agent_archived' });
  });

  it('has none, and leaves no trace, once it was removed', async () => {
    const { tenant, schedule } = await stored();
    await start(schedule);
    const key = { workspaceId: tenant.workspace.id, id: schedule.id };
    expect(await removeSchedule(database.db, key, { userId: tenant.max.id })).toBe(true);
    expect(await removeSchedule(database.db, key, { userId: tenant.max.id })).toBe(false);
    expect(await start(schedule, at(1))).toBeNull();
    expect(await runsOf(schedule)).toEqual([]);
    const kept = await database.db('sessions').where({ schedule_id: schedule.id });
    expect(kept).toHaveLength(1);
  });
});

describe('a schedule that is late', () => {
  const hours = 3600;

  it.each([
    [1, 'skip', 600, 'too_late'],
    [1, 'allow_all', 600, 'too_late'],
    [1, 'skip', 2 * hours, 'started'],
    // Nothing was there to wait for.
    [1, 'buffer_one', 600, 'too_late'],
    [1, 'cancel_other', 600, 'too_late'],
    // Nobody ran the platform for two days.
    [48, 'allow_all', 600, 'too_late'],
    [48, 'skip', 47 * hours, 'too_late'],
    [48, 'skip', 49 * hours, 'started'],
  ] as const)('by %i h, with %s and a window of %i s: %s', async (by, overlap, seconds, outcome) => {
    const late = new Date(Date.now() - by * hours * 1000).toISOString();
    const { schedule } = await stored();
    await database
      .db('schedules')
      .where({ id: schedule.id })
      .update({ overlap, catch_up_window_seconds: seconds });
    await start(schedule, late);
    expect(await runsOf(schedule)).toMatchObject([{ outcome }]);
  });
});

it.each(['buffer_one', 'cancel_other'] as const)(
  'a run that is late because it waited for the session before it is started, with %s',
  async (overlap) => {
    const { schedule } = await stored();
    await database
      .db('schedules')
      .where({ id: schedule.id })
      .update({ overlap, catch_up_window_seconds: 600 });
    const waited = new Date(begunMs - 3_600_000).toISOString();
    const before = await start(schedule, at(0));
    expect(await runsOf(schedule)).toMatchObject([{ outcome: 'started', session_id: before }]);
    await start(schedule, waited);
    expect(await runsOf(schedule)).toMatchObject([{ outcome: 'started' }, { outcome: 'started' }]);
  },
);

it('a time that comes twice when the clock is put back has one session', async () => {
  const { schedule } = await stored();
  await database
    .db('schedules')
    .where({ id: schedule.id })
    .update({
      spec: JSON.stringify({ kind: 'cron', expression: '30 1 * * *' }),
      time_zone: 'America/New_York',
    });
  await start(schedule, '2027-11-07T05:30:00Z');
  expect(await start(schedule, '2027-11-07T06:30:00Z')).toBeNull();
  expect(await runsOf(schedule)).toMatchObject([{ outcome: 'repeated' }, { outcome: 'started' }]);
});

describe('the limits of its maker', () => {
  it.each([
    ['LIMIT_RUNNING_SESSIONS_PER_USER', 'The limit is 2 running sessions per user; one has to end first'],
    [
      'LIMIT_RUNNING_SESSIONS_PER_WORKSPACE',
      'The limit is 2 running sessions per workspace; one has to end first',
    ],
    ['RATE_SESSIONS_PER_HOUR_PER_USER', 'The limit is 2 new sessions an hour per user'],
    ['RATE_SESSIONS_PER_HOUR_PER_WORKSPACE', 'The limit is 2 new sessions an hour per workspace'],
  ] as const)('count its runs: %s', async (name, detail) => {
    const { tenant, schedule } = await stored();
    const quotas = { ...unlimited, [name]: 2 };
    expect(await start(schedule, at(0), quotas)).not.toBeNull();
    expect(await start(schedule, at(1), quotas)).not.toBeNull();
    expect(await start(schedule, at(2), quotas)).toBeNull();
    expect((await runsOf(schedule))[0]).toMatchObject({ outcome: 'limit_reached', detail });
    expect(await readSchedule(database.db, schedule.id)).toMatchObject({ paused_at: null });
    // They are the maker's own as well.
    const own = {
      ...{ id: randomUUID(), workspaceId: tenant.workspace.id, agentId: String(schedule.agent_id) },
      ...{ operatorId: tenant.max.id, rootOperatorId: tenant.max.id, parentSessionId: null, prompt: '' },
    };
    await expect(createWithinQuotas(database.db, own, quotas)).rejects.toThrow(detail);
  });

  it('count the sessions that the maker drives', async () => {
    const { tenant, schedule } = await stored();
    await tenant.session(await tenant.agent());
    const quotas = { ...unlimited, RATE_SESSIONS_PER_HOUR_PER_USER: 2 };
    expect(await start(schedule, at(0), quotas)).not.toBeNull();
    expect(await start(schedule, at(1), quotas)).toBeNull();
  });
});

it('what is known of old runs is removed, and a session stays', async () => {
  const { schedule } = await stored();
  const sessionId = await start(schedule);
  await removeOldRuns(database.db, { keptSeconds: 3600 });
  expect(await runsOf(schedule)).toHaveLength(1);
  await database
    .db('schedule_runs')
    .where({ schedule_id: schedule.id })
    .update({ created_at: database.db.raw(`now() - interval '2 hours'`) });
  await removeOldRuns(database.db, { keptSeconds: 3600 });
  expect(await runsOf(schedule)).toEqual([]);
  // The same time again finds the session.
  expect(await start(schedule)).toBe(sessionId);
  const by = { type: 'system', id: null } as const;
  await requestEnding(database.db, String(sessionId), {
    by,
    status: 'terminated',
    reason: 'x',
    summary: null,
  });
});
