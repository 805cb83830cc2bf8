/** What the form of a schedule holds, and what it sends. Pure. */
import { parseCron } from '../../../../contract/cron.ts';
import { knownTimeZone, scheduleBounds } from '../../../../contract/schedule.ts';
import type { Schedule, ScheduleInput } from '../../api/types.ts';
import { zoneName } from '../../text/local-time.ts';

export interface ScheduleValues {
  name: string;
  agentId: string | null;
  prompt: string;
  kind: 'cron' | 'interval';
  expression: string;
  everyMinutes: number | string;
  timeZone: string;
  overlap: Schedule['overlap'];
  catchUpMinutes: number | string;
  expiryMinutes: number | string;
}

export const newSchedule = (agentId: string | null): ScheduleValues => ({
  name: '',
  agentId,
  prompt: '',
  kind: 'cron',
  expression: '0 9 * * MON-FRI',
  everyMinutes: 60,
  timeZone: zoneName(),
  overlap: 'skip',
  catchUpMinutes: scheduleBounds.catchUpSeconds.usual / 60,
  expiryMinutes: scheduleBounds.requestExpirySeconds.usual / 60,
});

export function valuesOf(schedule: Schedule): ScheduleValues {
  const { name, agent_id: agentId, prompt, spec, time_zone: timeZone, overlap } = schedule;
  return {
    ...newSchedule(agentId),
    ...{ name, prompt: prompt ?? '', kind: spec.kind, timeZone, overlap },
    ...(spec.kind === 'cron' ? { expression: spec.expression } : { everyMinutes: spec.every_seconds / 60 }),
    catchUpMinutes: schedule.catch_up_window_seconds / 60,
    expiryMinutes: schedule.request_expiry_seconds / 60,
  };
}

const secondsOf = (minutes: number | string) => Math.round(Number(minutes) * 60);

/** Of values without problems. */
export const inputOf = (values: ScheduleValues): ScheduleInput => ({
  name: values.name.trim(),
  agent_id: values.agentId ?? '',
  prompt: values.prompt,
  spec:
    values.kind === 'cron'
      ? { kind: 'cron', expression: values.expression.trim() }
      : { kind: 'interval', every_seconds: secondsOf(values.everyMinutes) },
  time_zone: values.timeZone.trim(),
  overlap: values.overlap,
  catch_up_window_seconds: secondsOf(values.catchUpMinutes),
  request_expiry_seconds: secondsOf(values.expiryMinutes),
});

export function problemsOf(values: ScheduleValues): Record<string, string> {
  const { catchUpSeconds, requestExpirySeconds, longestIntervalSeconds } = scheduleBounds;
  const cron = values.kind === 'cron' ? parseCron(values.expression).problem : null;
  const found: Record<string, string | null> = {
    name: values.name.trim() === '' ? 'is required' : null,
    agentId: values.agentId === null ? 'Choose an agent' : null,
    expression: cron,
    everyMinutes:
      values.kind === 'interval'
        ? outside(values.everyMinutes, { least: 1, most: longestIntervalSeconds })
        : null,
    timeZone:
      knownTimeZone(values.timeZone.trim()) === null ? 'must be a time zone such as Europe/Berlin' : null,
    catchUpMinutes: outside(values.catchUpMinutes, catchUpSeconds),
    expiryMinutes: outside(values.expiryMinutes, requestExpirySeconds),
  };
  return Object.fromEntries(
    Object.entries(found).flatMap(([field, problem]) => (problem === null ? [] : [[field, problem]])),
  );
}

function outside(minutes: number | string, { least, most }: { least: number; most: number }): string | null {
  const seconds = minutes === '' ? Number.NaN : secondsOf(minutes);
  return seconds >= least && seconds <= most
    ? null
    : `must be from ${Math.max(1, Math.ceil(least / 60))} to ${most / 60} minutes`;
}

const fields: Record<string, string> = {
  agent_id: 'agentId',
  'spec.expression': 'expression',
  'spec.every_seconds': 'everyMinutes',
  time_zone: 'timeZone',
  catch_up_window_seconds: 'catchUpMinutes',
  request_expiry_seconds: 'expiryMinutes',
};
/** The field that shows a path of the API. */
export const fieldOf = (path: string): string => fields[path] ?? path;
export const shownPaths = ['name', 'prompt', 'overlap', ...Object.keys(fields)];
