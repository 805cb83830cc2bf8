import { describe, expect, it } from '@jest/globals';
import type { Schedule } from '../../../web/src/api/types.ts';
import {
  fieldOf,
  inputOf,
  newSchedule,
  problemsOf,
  shownPaths,
  valuesOf,
} from '../../../web/src/pages/schedules/schedule-values.ts';
import {
  pauseText,
  secondsText,
  timeIn,
  whenText,
  withoutSessionText,
} from '../../../web/src/text/schedule-text.ts';

const agentId = '5d1ffb4c-61f8-4a8f-8d30-6cf47e6ab111';
const typed = { ...newSchedule(agentId), name: ' Nightly ', timeZone: ' UTC ' };

describe('the form of a schedule', () => {
  it('sends seconds for minutes, and what is typed without spaces around it', () => {
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
    const interval = inputOf({ ...typed, kind: 'interval', everyMinutes: '1.5' });
    expect(interval.spec).toEqual({ kind: 'interval', every_seconds: 90 });
  });

  it('shows a schedule as it was sent', () => {
    const schedule = { ...inputOf(typed), agent_id: agentId } as Schedule;
    expect(inputOf(valuesOf(schedule))).toEqual(inputOf(typed));
    const interval = { ...schedule, spec: { kind: 'interval', every_seconds: 5400 } } as Schedule;
    expect(valuesOf(interval)).toMatchObject({ kind: 'interval', everyMinutes: 90 });
  });

  it.each([
    [{ name: ' ' }, { name: 'is required' }],
    [{ agentId: null }, { agentId: 'Choose an agent' }],
    [{ expression: '0 0 30 2 *' }, { expression: 'never fires: none of its months has such a day' }],
    [{ kind: 'interval', everyMinutes: '' }, { everyMinutes: 'must be from 1 to 527040 minutes' }],
    [{ kind: 'interval', expression: 'nonsense' }, {}],
    [{ timeZone: 'Mars' }, { timeZone: 'must be a time zone such as Europe/Berlin' }],
    [{ catchUpMinutes: 0 }, { catchUpMinutes: 'must be from 1 to 10080 minutes' }],
    [{ expiryMinutes: 10_081 }, { expiryMinutes: 'must be from 1 to 10080 minutes' }],
  ] as const)('with %j says %j', (fields, problems) => {
    expect(problemsOf({ ...typed, ...fields })).toEqual(problems);
  });

  it('shows each problem of the API at a field', () => {
    for (const path of shownPaths) {
      expect({ ...typed }).toHaveProperty(fieldOf(path));
    }
  });
});

describe('the words about a schedule', () => {
  it.each([
    [60, '1 minute'],
    [90, '90 seconds'],
    [5400, '90 minutes'],
    [172_800, '2 days'],
  ])('%i s is "%s"', (seconds, text) => {
    expect(secondsText(seconds)).toBe(text);
  });

  it('say when it runs', () => {
    const cron = { spec: { kind: 'cron', expression: '0 9 * * *' }, time_zone: 'Europe/Berlin' } as const;
    expect(whenText(cron)).toBe('0 9 * * * (Europe/Berlin)');
    expect(whenText({ ...cron, spec: { kind: 'interval', every_seconds: 3600 } })).toBe('every 1 hour');
    expect(timeIn('2027-01-01T05:00:00Z', 'Europe/Berlin')).toMatch(/^Fri,? 1 Jan 2027,? 06:00$/);
  });

  it('say why it does not run, and why a run has no session', () => {
    expect(pauseText({ pause_reason: null })).toBeNull();
    expect(pauseText({ pause_reason: 'maker_left' })).toContain('no longer a member');
    expect(withoutSessionText({ outcome: 'started', detail: null })).toBeNull();
    expect(withoutSessionText({ outcome: 'limit_reached', detail: 'The limit is 2' })).toBe('The limit is 2');
  });
});
