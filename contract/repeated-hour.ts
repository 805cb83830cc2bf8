/**
 * Around the end of summer time Temporal begins some runs of cron schedules that the expression does not
 * name, or names once. Pure.
 */
import { type CronTimes, parseCron } from './cron.ts';
import type { Schedule } from './schedule.ts';

const hourMs = 3_600_000;

/**
 * Whether a run is one too many: near a change of the zone's offset, at a time that is not the expression's,
 * or at the same time by the clock as the run of an hour before. `scheduledAt`: ISO 8601. A run that a person
 * asked for is due at no full minute, but by chance.
 */
export function isRepeated(
  { spec, time_zone: zone }: Pick<Schedule, 'spec' | 'time_zone'>,
  { scheduledAt, ranAnHourBefore }: { scheduledAt: string; ranAnHourBefore: boolean },
): boolean {
  const atMs = Date.parse(scheduledAt);
  if (spec.kind !== 'cron' || atMs % 60_000 !== 0) {
    return false;
  }
  const [before, now, after] = [
    clockAt(atMs - hourMs, zone),
    clockAt(atMs, zone),
    clockAt(atMs + hourMs, zone),
  ];
  const changes = before.offsetMs !== now.offsetMs || now.offsetMs !== after.offsetMs;
  const { times } = parseCron(spec.expression);
  if (!changes || times === null) {
    return false;
  }
  const isSameTime = before.hour === now.hour && before.minute === now.minute;
  return !names(times, now) || (ranAnHourBefore && isSameTime);
}

interface Clock {
  minute: number;
  hour: number;
  day: number;
  month: number;
  /** From 0, which is Sunday. */
  weekday: number;
  /** To UTC. */
  offsetMs: number;
}

function clockAt(atMs: number, timeZone: string): Clock {
  const format = new Intl.DateTimeFormat('en-US', {
    ...{ timeZone, hourCycle: 'h23', year: 'numeric', month: 'numeric' },
    ...{ day: 'numeric', hour: 'numeric', minute: 'numeric' },
  });
  const parts = new Map(format.formatToParts(atMs).map(({ type, value }) => [type, Number(value)]));
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0;
  const [year, month, day] = [part('year'), part('month'), part('day')];
  const [hour, minute] = [part('hour'), part('minute')];
  const asUtcMs = Date.UTC(year, month - 1, day, hour, minute);
  return { minute, hour, day, month, weekday: new Date(asUtcMs).getUTCDay(), offsetMs: asUtcMs - atMs };
}

function names(times: CronTimes, { minute, hour, day, month, weekday }: Clock): boolean {
  const [fitsDate, fitsWeekday] = [times.daysOfMonth.includes(day), times.daysOfWeek.includes(weekday)];
  return (
    times.minutes.includes(minute) &&
    times.hours.includes(hour) &&
    times.months.includes(month) &&
    (times.eitherDay ? fitsDate || fitsWeekday : fitsDate && fitsWeekday)
  );
}
