import { describe, expect, it } from '@jest/globals';
import { knownTimeZone, scheduleInput, schedulePatch, shortestSeconds } from '../../../contract/schedule.ts';
import { dueRunOf, scheduledRunWorkflowId } from '../../../contract/workflows.ts';

const id = '5d1ffb4c-61f8-4a8f-8d30-6cf47e6ab111';
const input = {
  agent_id: id,
  name: 'Nightly',
  spec: { kind: 'cron', expression: '0 6 * * *' },
  prompt: 'Look',
};
const problemsOf = (fields: object) =>
  scheduleInput.safeParse({ ...input, ...fields }).error?.issues.map(({ path }) => path.join('.'));

describe('a schedule', () => {
  it('runs in UTC, leaves out overlaps and waits a day for a person unless it says otherwise', () => {
    expect(scheduleInput.parse(input)).toMatchObject({
      time_zone: 'UTC',
      overlap: 'skip',
      catch_up_window_seconds: 600,
      request_expiry_seconds: 86_400,
    });
  });

  it.each([
    [{ name: ' ' }, ['name']],
    [{ spec: { kind: 'cron', expression: '0 0 30 2 *' } }, ['spec.expression']],
    [{ spec: { kind: 'interval', every_seconds: 0 } }, ['spec.every_seconds']],
    [{ spec: { kind: 'interval', every_seconds: 1.5 } }, ['spec.every_seconds']],
    [{ spec: { kind: 'interval', every_seconds: 1e9 } }, ['spec.every_seconds']],
    [{ spec: { kind: 'calendar' } }, ['spec.kind']],
    [{ time_zone: 'Mars/Olympus' }, ['time_zone']],
    [{ time_zone: '+02:00' }, ['time_zone']],
    [{ overlap: 'buffer_all' }, ['overlap']],
    [{ catch_up_window_seconds: 59 }, ['catch_up_window_seconds']],
    [{ request_expiry_seconds: 604_801 }, ['request_expiry_seconds']],
    [{ operator_id: id }, ['']],
  ])('with %j is refused', (fields, paths) => {
    expect(problemsOf(fields)).toEqual(paths);
  });

  it('is changed in what is given alone', () => {
    expect(schedulePatch.parse({ name: ' Weekly ' })).toEqual({ name: 'Weekly' });
  });

  it.each([
    ['Europe/Berlin', 'Europe/Berlin'],
    ['europe/berlin', 'Europe/Berlin'],
    ['utc', 'UTC'],
    ['Europe/Kyiv', 'Europe/Kyiv'],
    ['europe/kyiv', 'Europe/Kyiv'],
    ['Europe/Kiev', 'Europe/Kiev'],
    ['Asia/Kolkata', 'Asia/Kolkata'],
    ['Asia/Calcutta', 'Asia/Calcutta'],
    ['asia/ho_chi_minh', 'Asia/Ho_Chi_Minh'],
    ['America/Argentina/Buenos_Aires', 'America/Argentina/Buenos_Aires'],
    ['America/Nuuk', 'America/Nuuk'],
    ['', null],
    ['Europe', null],
  ])('knows the time zone "%s" as %s', (name, known) => {
    expect(knownTimeZone(name)).toBe(known);
  });

  it('knows how closely its runs follow', () => {
    expect(shortestSeconds({ kind: 'interval', every_seconds: 90 })).toBe(90);
    expect(shortestSeconds({ kind: 'cron', expression: '*/5 * * * *' })).toBe(300);
  });
});

describe('the workflow of a run', () => {
  it('is named after its schedule and its time, in whole seconds', () => {
    const workflowId = scheduledRunWorkflowId({ scheduleId: id, scheduledAt: '2026-11-27T06:00:00.500Z' });
    expect(workflowId).toBe(`schedule-run/${id}-2026-11-27T06:00:00Z`);
    expect(dueRunOf(workflowId)).toEqual({ scheduleId: id, scheduledAt: '2026-11-27T06:00:00Z' });
  });

  it.each([
    `schedule-run/${id}`,
    `schedule-run/${id}-now`,
    `schedule-run/${id}-2026-99-99T99:99:99Z`,
    `session/${id}`,
    '',
  ])('is not "%s"', (name) => {
    expect(dueRunOf(name)).toBeNull();
  });
});
