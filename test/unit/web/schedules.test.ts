import { describe, expect, it } from '@jest/globals';
import type { Schedule } from '../../../web/src/api/types.ts';
import {
  fieldOf,
  inputOf,
  newSchedule,
  nextRunsOf,
  problemsOf,
  shownPaths,
  timesAs,
  valuesOf,
} from '../../../web/src/pages/schedules/schedule-values.ts';
import { expressionOf } from '../../../web/src/text/cron-words.ts';
import { pauseText, timeIn, whenText, withoutSessionText } from '../../../web/src/text/schedule-text.ts';

const agentId = '5d1ffb4c-61f8-4a8f-8d30-6cf47e6ab111';
const typed = { ...newSchedule(agentId), name: ' Nightly ', timeZone: ' UTC ' };

describe('the form of a schedule', () => {
  it('sends what is chosen, and what is typed without spaces around it', () => {
    expect(problemsOf(typed)).toEqual({});
    expect(inputOf(typed)).toEqual({
      name: 'Nightly',
      agent_id: agentId,
      prompt: '',
      spec: { kind: 'cron', expression: '0 9 * * MON-FRI' },
      time_zone: 'UTC',
      overlap: 'skip',
      catch_up_window_seconds: 600,
      request_expiry_seconds: 86_400,
    });
    const interval = inputOf({ ...typed, kind: 'interval', everySeconds: 90 });
    expect(interval.spec).toEqual({ kind: 'interval', every_seconds: 90 });
  });

  it('shows a schedule as it was sent', () => {
    const schedule = { ...inputOf(typed), agent_id: agentId } as Schedule;
    expect(inputOf(valuesOf(schedule))).toEqual(inputOf(typed));
    const interval = { ...schedule, spec: { kind: 'interval', every_seconds: 5400 } } as Schedule;
    expect(valuesOf(interval)).toMatchObject({ kind: 'interval', everySeconds: 5400 });
  });

  it.each([
    [{ name: ' ' }, { name: 'is required' }],
    [{ agentId: null }, { agentId: 'Choose an agent' }],
    [{ expression: '0 0 30 2 *' }, { expression: 'never fires: none of its months has such a day' }],
    [{ kind: 'interval', everySeconds: '' }, { everySeconds: 'must be from 1 s to 366 days' }],
    [
      { kind: 'interval', everySeconds: Number.NaN },
      { everySeconds: 'must be a length of time such as 2 h 30 min' },
    ],
    [{ kind: 'interval', expression: 'nonsense' }, {}],
    [{ timeZone: 'Mars' }, { timeZone: 'must be a time zone such as Europe/Berlin' }],
    [{ catchUpSeconds: 0 }, { catchUpSeconds: 'must be from 1 min to 7 days' }],
    [{ expirySeconds: 604_801 }, { expirySeconds: 'must be from 1 min to 7 days' }],
  ] as const)('with %j says %j', (fields, problems) => {
    expect(problemsOf({ ...typed, ...fields })).toEqual(problems);
  });

  it('keeps the days of a week when all are chosen', () => {
    const all = expressionOf({ kind: 'weekly', hour: 7, minute: 5, days: [0, 1, 2, 3, 4, 5, 6] });
    expect(timesAs('weekly', all)).toEqual({
      ...{ kind: 'weekly', hour: 7, minute: 5, days: [1, 2, 3, 4, 5, 6, 0] },
    });
    expect(timesAs('daily', all)).toEqual({ kind: 'daily', hour: 7, minute: 5 });
  });

  it('begins with what builds its expression, and says when that runs next', () => {
    const cron = (expression: string) =>
      valuesOf({ ...inputOf(typed), spec: { kind: 'cron', expression } } as Schedule).kind;
    expect(['30 7 * * *', '0 9 * * 5', '0 9 1 * *', '0 9 1 * FRI'].map(cron)).toEqual([
      ...['daily', 'weekly', 'monthly', 'cron'],
    ]);
    const berlin = { ...typed, expression: '30 2 * * *', timeZone: 'Europe/Berlin' };
    const before = Date.parse('2027-03-26T12:00:00Z');
    const times = nextRunsOf(berlin, before, 3).map((at) => new Date(at).toISOString());
    // The clock skips 02:30 on the 28th.
    expect(times).toEqual([
      '2027-03-27T01:30:00.000Z',
      '2027-03-29T00:30:00.000Z',
      '2027-03-30T00:30:00.000Z',
    ]);
    expect(nextRunsOf({ ...berlin, timeZone: 'Mars' }, before)).toEqual([]);
    expect(nextRunsOf({ ...berlin, expression: '0 0 30 2 *' }, before)).toEqual([]);
  });

  it('shows each problem of the API at a field', () => {
    for (const path of shownPaths) {
      expect({ ...typed }).toHaveProperty(fieldOf(path));
    }
  });
});

describe('the words about a schedule', () => {
  it('say when it runs', () => {
    const cron = { spec: { kind: 'cron', expression: '0 9 * * *' }, time_zone: 'Europe/Berlin' } as const;
    expect(whenText(cron)).toBe('Every day at 09:00 (Europe/Berlin)');
    expect(whenText({ ...cron, spec: { kind: 'interval', every_seconds: 3600 } })).toBe('Every 1 h');
    expect(timeIn('2027-01-01T05:00:00Z', 'Europe/Berlin')).toMatch(/^Fri,? 1 Jan 2027,? 06:00$/);
  });

  it('say why it does not run, and why a run has no session', () => {
    expect(pauseText({ pause_reason: null })).toBeNull();
    expect(pauseText({ pause_reason: 'maker_left' })).toContain('no longer a member');
    expect(withoutSessionText({ outcome: 'started', detail: null })).toBeNull();
    expect(withoutSessionText({ outcome: 'limit_reached', detail: 'The limit is 2' })).toBe('The limit is 2');
  });
});
