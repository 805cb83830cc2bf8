/** What the form of a schedule holds, and what it sends. Pure. */
import { parseCron } from '../../../../contract/cron.ts';
import { nextRunMs } from '../../../../contract/next-run.ts';
import { knownTimeZone, scheduleBounds } from '../../../../contract/schedule.ts';
import type { Schedule, ScheduleInput } from '../../api/types.ts';
import { daysOfWeek, type SimpleTimes, simpleTimesOf } from '../../text/cron-words.ts';
import { durationProblem, durationWords } from '../../text/duration-words.ts';
import { zoneName } from '../../text/local-time.ts';

export interface ScheduleValues {
  name: string;
  agentId: string | null;
  prompt: string;
  /** How it is chosen. All but `interval` are the cron expression: the first three build it. */
  kind: 'daily' | 'weekly' | 'monthly' | 'interval' | 'cron';
  expression: string;
  /** Durations: empty where nothing is typed, NaN for what cannot be read. */
  everySeconds: number | '';
  timeZone: string;
  overlap: Schedule['overlap'];
  catchUpSeconds: number | '';
  expirySeconds: number | '';
}

export const newSchedule = (agentId: string | null): ScheduleValues => ({
  name: '',
  agentId,
  prompt: '',
  kind: 'weekly',
  expression: '0 9 * * MON-FRI',
  everySeconds: 3600,
  timeZone: zoneName(),
  overlap: 'skip',
  catchUpSeconds: scheduleBounds.catchUpSeconds.usual,
  expirySeconds: scheduleBounds.requestExpirySeconds.usual,
});

export function valuesOf(schedule: Schedule): ScheduleValues {
  const { name, agent_id: agentId, prompt, spec, time_zone: timeZone, overlap } = schedule;
  return {
    ...newSchedule(agentId),
    ...{ name, prompt: prompt ?? '', timeZone, overlap },
    ...(spec.kind === 'cron'
      ? { kind: simpleTimesOf(spec.expression)?.kind ?? spec.kind, expression: spec.expression }
      : { kind: spec.kind, everySeconds: spec.every_seconds }),
    catchUpSeconds: schedule.catch_up_window_seconds,
    expirySeconds: schedule.request_expiry_seconds,
  };
}

/** With the time of what was chosen before. */
export function begunAs(kind: SimpleTimes['kind'], before: SimpleTimes | null): SimpleTimes {
  const { hour, minute } = before ?? { hour: 9, minute: 0 };
  const at = { hour, minute };
  return kind === 'weekly'
    ? { kind, ...at, days: [1, 2, 3, 4, 5] }
    : kind === 'monthly'
      ? { kind, ...at, day: 1 }
      : { kind, ...at };
}

/**
 * What an expression says, as the fields of this kind show it: every day is a week with all of its days, too.
 * A start where it says something else.
 */
export function timesAs(kind: SimpleTimes['kind'], expression: string): SimpleTimes {
  const simple = simpleTimesOf(expression);
  return kind === 'weekly' && simple?.kind === 'daily'
    ? { ...simple, kind, days: daysOfWeek }
    : (simple ?? begunAs(kind, null));
}

/** When it runs, also of values with problems. */
export const specOf = ({ kind, expression, everySeconds }: ScheduleValues): ScheduleInput['spec'] =>
  kind === 'interval'
    ? { kind: 'interval', every_seconds: Number(everySeconds) }
    : { kind: 'cron', expression: expression.trim() };

/** The next times by these values, in milliseconds since 1970; none while they have problems. */
export function nextRunsOf(values: ScheduleValues, afterMs: number, count = 5): number[] {
  const { expression, everySeconds, timeZone } = problemsOf(values);
  if (expression !== undefined || everySeconds !== undefined || timeZone !== undefined) {
    return [];
  }
  const times: number[] = [];
  let last: number | null = afterMs;
  while (last !== null && times.length < count) {
    last = nextRunMs(specOf(values), values.timeZone.trim(), last);
    times.push(...(last === null ? [] : [last]));
  }
  return times;
}

/** Of values without problems. */
export const inputOf = (values: ScheduleValues): ScheduleInput => ({
  name: values.name.trim(),
  agent_id: values.agentId ?? '',
  prompt: values.prompt,
  spec: specOf(values),
  time_zone: values.timeZone.trim(),
  overlap: values.overlap,
  catch_up_window_seconds: Number(values.catchUpSeconds),
  request_expiry_seconds: Number(values.expirySeconds),
});

export function problemsOf(values: ScheduleValues): Record<string, string> {
  const { catchUpSeconds, requestExpirySeconds, longestIntervalSeconds } = scheduleBounds;
  const cron = values.kind === 'interval' ? null : parseCron(values.expression).problem;
  const found: Record<string, string | null> = {
    name: values.name.trim() === '' ? 'is required' : null,
    agentId: values.agentId === null ? 'Choose an agent' : null,
    expression: cron,
    everySeconds:
      values.kind === 'interval'
        ? outside(values.everySeconds, { least: 1, most: longestIntervalSeconds })
        : null,
    timeZone:
      knownTimeZone(values.timeZone.trim()) === null ? 'must be a time zone such as Europe/Berlin' : null,
    catchUpSeconds: outside(values.catchUpSeconds, catchUpSeconds),
    expirySeconds: outside(values.expirySeconds, requestExpirySeconds),
  };
  return Object.fromEntries(
    Object.entries(found).flatMap(([field, problem]) => (problem === null ? [] : [[field, problem]])),
  );
}

function outside(seconds: number | '', { least, most }: { least: number; most: number }): string | null {
  if (Number.isNaN(seconds)) {
    return durationProblem;
  }
  return seconds !== '' && seconds >= least && seconds <= most
    ? null
    : `must be from ${durationWords(least)} to ${durationWords(most)}`;
}

const fields: Record<string, string> = {
  agent_id: 'agentId',
  'spec.expression': 'expression',
  'spec.every_seconds': 'everySeconds',
  time_zone: 'timeZone',
  catch_up_window_seconds: 'catchUpSeconds',
  request_expiry_seconds: 'expirySeconds',
};
/** The field that shows a path of the API. */
export const fieldOf = (path: string): string => fields[path] ?? path;
export const shownPaths = ['name', 'prompt', 'overlap', ...Object.keys(fields)];
