/**
 * When Temporal begins a run around a change of the clock; which of them have no session is in
 * test/unit/commands/schedules.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { type Schedule, schedule } from '../../../contract/schedule.ts';
import { temporalScheduleId } from '../../../contract/workflows.ts';
import { createSchedules, type Schedules } from '../../../workflows/schedules-client.ts';
import { temporalAddress } from '../../support/temporal.ts';

let client: Client;
let schedules: Schedules;
const made: string[] = [];

beforeAll(async () => {
  client = new Client({ connection: await Connection.connect({ address: temporalAddress() }) });
  schedules = createSchedules(client.schedule, `times-${randomUUID()}`);
});
afterAll(async () => {
  for (const id of made) {
    await schedules.remove(id);
  }
  await client.connection.close();
});

async function daily(expression: string, time_zone: string): Promise<Schedule> {
  const at = new Date().toISOString();
  const row = schedule.parse({
    ...{ id: randomUUID(), workspace_id: randomUUID(), agent_id: randomUUID(), maker_id: randomUUID() },
    ...{ name: 'daily', prompt: '', spec: { kind: 'cron', expression }, time_zone, overlap: 'skip' },
    ...{ catch_up_window_seconds: 600, request_expiry_seconds: 600, version: 1 },
    // It fires at no time, but the times are the same.
    ...{ paused_at: at, pause_reason: 'person', pause_note: null, created_at: at, updated_at: at },
  });
  made.push(row.id);
  await schedules.put(row);
  return row;
}

const timesOf = async ({ id }: Schedule, from: string, to: string) => {
  const { startTime } = await client.workflowService.listScheduleMatchingTimes({
    namespace: 'default',
    scheduleId: temporalScheduleId(id),
    startTime: { seconds: (Date.parse(from) / 1000) as never },
    endTime: { seconds: (Date.parse(to) / 1000) as never },
  });
  return startTime.map(({ seconds }) => new Date(Number(seconds) * 1000).toISOString());
};

it('leaves out the hour that summer time skips, and fires once in the one that it repeats', async () => {
  const schedule = await daily('30 2 * * *', 'Europe/Berlin');
  const times = (from: string, to: string) => timesOf(schedule, from, to);
  // Nothing on the 28th, when it is never half past two.
  expect(await times('2027-03-27T00:00:00Z', '2027-03-30T00:00:00Z')).toEqual([
    '2027-03-27T01:30:00.000Z',
    '2027-03-29T00:30:00.000Z',
  ]);
  // Half past two is twice on the 31st; the second one counts.
  expect(await times('2027-10-30T12:00:00Z', '2027-11-01T12:00:00Z')).toEqual([
    '2027-10-31T01:30:00.000Z',
    '2027-11-01T01:30:00.000Z',
  ]);
});

it('fires twice in a repeated hour of zones west of Greenwich, and again after the hour before it', async () => {
  const west = await daily('30 1 * * *', 'America/New_York');
  expect(await timesOf(west, '2027-11-07T00:00:00Z', '2027-11-08T00:00:00Z')).toEqual([
    '2027-11-07T05:30:00.000Z',
    '2027-11-07T06:30:00.000Z',
  ]);
  const skipped = await daily('30 2 * * *', 'America/New_York');
  expect(await timesOf(skipped, '2027-03-14T00:00:00Z', '2027-03-15T00:00:00Z')).toEqual([]);
  const before = await daily('0 1 * * *', 'Europe/Berlin');
  expect(await timesOf(before, '2027-10-30T12:00:00Z', '2027-10-31T12:00:00Z')).toEqual([
    '2027-10-30T23:00:00.000Z',
    '2027-10-31T00:00:00.000Z',
  ]);
});
