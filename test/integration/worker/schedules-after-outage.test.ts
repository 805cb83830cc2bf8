/**
 * Temporal itself is down, for longer than the catch-up window of one schedule and shorter than that of
 * others. The short window is the shortest that people may set: two days without Temporal are to a window of
 * hours what this outage is to that.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type RunningTemporal, startTemporal } from '../../../bin/start/temporal.ts';
import { type Schedule, type ScheduleOutlook, scheduleBounds } from '../../../contract/schedule.ts';
import { listRuns } from '../../../store/schedules/runs.ts';
import { createWorkflows } from '../../../workflows/client.ts';
import { createSchedules, type Schedules } from '../../../workflows/schedules-client.ts';
import { createTestActivities, type TestActivities } from '../../support/activities.ts';
import { startActivityWorker } from '../../support/activity-worker.ts';
import { eventually } from '../../support/eventually.ts';
import { chooseTestPort } from '../../support/free-port.ts';
import { temporalProgram } from '../../support/temporal-program.ts';
import type { TestWorker } from '../../support/worker.ts';

const { least: shortWindow, most: longWindow } = scheduleBounds.catchUpSeconds;
/** The worker needs a moment to reach the server again, and backs off meanwhile. */
const patiently = { withinMs: 180_000, everyMs: 500 };

let directory: string;
let temporal: RunningTemporal;
let activities: TestActivities;
let worker: TestWorker;
let schedules: Schedules;

const runTemporal = (preferredPort: number) =>
  startTemporal({ ...{ program: temporalProgram(), directory, hasUi: false }, preferredPort });

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'outage-'));
  temporal = await runTemporal(await chooseTestPort());
  activities = await createTestActivities();
  // No sidecar will report: the sessions stay as they are until the test ends.
  activities.dependencies.limits = { ...activities.dependencies.limits, SESSION_START_SECONDS: 3600 };
  worker = await startActivityWorker(activities.dependencies, { address: temporal.address });
  activities.dependencies.workflows = createWorkflows(worker.client.workflow, worker.taskQueue);
  schedules = createSchedules(worker.client.schedule, worker.taskQueue);
});
afterAll(async () => {
  await worker.stop();
  await temporal.stop();
  await activities.drop();
  rmSync(directory, { recursive: true });
});

const nowSeconds = () => Math.floor(Date.now() / 1000);
const untilSecond = (second: number) =>
  eventually(() => expect(nowSeconds()).toBeGreaterThanOrEqual(second), patiently);

/** An interval that is due as late as possible from now on: intervals are counted from the start of 1970. */
function chooseInterval(): number {
  const sinceLast = (every: number) => nowSeconds() % every;
  const intervals = Array.from({ length: 11 }, (_, index) => 20 + index);
  return intervals.reduce((best, every) => (sinceLast(every) < sinceLast(best) ? every : best));
}

/** Of the runs, oldest first: for which second they are, and whether each has a session. */
async function runsOf({ id }: Schedule): Promise<{ second: number; outcome: string }[]> {
  const { items } = await listRuns(activities.db, { scheduleId: id, readerId: null }, { limit: 50 });
  const sessions: string[] = await activities.db('sessions').where({ schedule_id: id }).pluck('id');
  const started = items.filter(({ outcome }) => outcome === 'started');
  expect(started.map(({ session_id }) => session_id).toSorted()).toEqual(sessions.toSorted());
  const runs = items.map(({ scheduled_at: at, outcome }) => ({ second: Date.parse(at) / 1000, outcome }));
  return runs.toSorted((one, other) => one.second - other.second);
}

async function outlookOf({ id }: Schedule): Promise<ScheduleOutlook> {
  const outlook = await schedules.readOutlook(id);
  if (outlook === null) {
    throw new Error('Temporal has no copy');
  }
  return outlook;
}

it('each time that passed while Temporal was down is made up for, left out or missed, and nothing twice', async () => {
  const tenant = await activities.tenant();
  const every = chooseInterval();
  const spec = { kind: 'interval', every_seconds: every } as const;
  const [beside, alone, yearly] = await Promise.all([
    tenant.schedule({ spec, overlap: 'allow_all', catch_up_window_seconds: shortWindow }),
    tenant.schedule({ spec, overlap: 'skip', catch_up_window_seconds: longWindow }),
    tenant.schedule({ catch_up_window_seconds: longWindow }),
  ]);
  await Promise.all([beside, alone, yearly].map((each) => schedules.put(each)));
  // Temporal answers for a schedule once it has begun with it; of one that it was given in its last moment,
  // it knows no earlier times.
  const [before] = await Promise.all([yearly, beside, alone].map(outlookOf));
  process.kill(temporal.process.pid, 'SIGKILL');
  const first = (Math.floor(nowSeconds() / every) + 1) * every;
  const timesUntil = (second: number) => Math.floor((second - first) / every) + 1;
  expect([...(await runsOf(beside)), ...(await runsOf(alone))]).toEqual([]);

  await untilSecond(first + shortWindow + 1);
  temporal = await runTemporal(temporal.port);
  const back = nowSeconds();

  await eventually(async () => {
    const runs = await runsOf(beside);
    const seconds = runs.map(({ second }) => second);
    const last = seconds.at(-1) ?? 0;
    expect(last).toBeGreaterThan(back);
    const { missed } = await outlookOf(beside);
    expect(new Set(seconds).size).toBe(seconds.length);
    expect(seconds.length + missed).toBe(timesUntil(last));
    // The first is beyond the window, the last before the end of the outage within it.
    expect(seconds).not.toContain(first);
    expect(runs.filter(({ second, outcome }) => second <= back && outcome === 'started')).not.toEqual([]);
  }, patiently);

  await eventually(async () => {
    const { missed, skipped_for_overlap: skipped } = await outlookOf(alone);
    expect(await runsOf(alone)).toEqual([{ second: first, outcome: 'started' }]);
    expect({ missed, skipped }).toEqual({ missed: 0, skipped: timesUntil(nowSeconds()) - 1 });
  }, patiently);

  expect(await runsOf(yearly)).toEqual([]);
  expect(await outlookOf(yearly)).toEqual(before);
});
