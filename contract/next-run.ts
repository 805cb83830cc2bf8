/**
 * When a schedule runs next, by its own rule: what Temporal does with the same numbers, without asking it
 * (docs/schedules.md). Pure.
 */
import { type CronTimes, parseCron } from './cron.ts';
import type { ScheduleSpec } from './schedule.ts';

const dayMs = 24 * 3600 * 1000;
/** Within it every date falls on every day of the week (`parseCron`). */
const horizonDays = 40 * 366;

/** The first run after `afterMs`, in milliseconds since 1970; null for a rule that never fires. */
export function nextRunMs(spec: ScheduleSpec, timeZone: string, afterMs: number): number | null {
  if (spec.kind === 'interval') {
    const everyMs = spec.every_seconds * 1000;
    return (Math.floor(afterMs / everyMs) + 1) * everyMs;
  }
  const { times } = parseCron(spec.expression);
  return times === null ? null : nextCronMs(times, timeZone, afterMs);
}

function nextCronMs(times: CronTimes, timeZone: string, afterMs: number): number | null {
  const clock = clockOf(timeZone);
  const localMs = clock(afterMs);
  const today = Math.floor(localMs / dayMs) * dayMs;
  for (let day = 0; day < horizonDays; day += 1) {
    const date = today + day * dayMs;
    for (const wanted of isDayOf(times, new Date(date)) ? wantedTimes(times, date) : []) {
      // The first instant of a time that the clock shows, or has shown, has passed.
      const at = wanted <= localMs ? null : instantOf(clock, wanted);
      if (at !== null && at > afterMs) {
        return at;
      }
    }
  }
  return null;
}

function isDayOf({ daysOfMonth, months, daysOfWeek, eitherDay }: CronTimes, date: Date): boolean {
  const [isDate, isWeekday] = [
    daysOfMonth.includes(date.getUTCDate()),
    daysOfWeek.includes(date.getUTCDay()),
  ];
  return months.includes(date.getUTCMonth() + 1) && (eitherDay ? isDate || isWeekday : isDate && isWeekday);
}

const wantedTimes = ({ hours, minutes }: CronTimes, date: number): number[] =>
  hours.flatMap((hour) => minutes.map((minute) => date + (hour * 60 + minute) * 60_000));

/** What a clock in the zone shows at an instant, as if it were UTC. */
type Clock = (atMs: number) => number;

/** Of zones of the IANA database, which are few. */
const clocks = new Map<string, Clock>();

function clockOf(timeZone: string): Clock {
  const known = clocks.get(timeZone);
  if (known !== undefined) {
    return known;
  }
  const numeric = 'numeric';
  const fields = { year: numeric, month: numeric, day: numeric, hour: numeric, minute: numeric } as const;
  const format = new Intl.DateTimeFormat('en-US-u-hc-h23', { timeZone, ...fields });
  const clock: Clock = (atMs) => {
    const parts = new Map(format.formatToParts(atMs).map(({ type, value }) => [type, Number(value)]));
    const part = (name: Intl.DateTimeFormatPartTypes) => parts.get(name) ?? 0;
    return Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'));
  };
  clocks.set(timeZone, clock);
  return clock;
}

/** The first instant at which the clock shows this time; null for one that it skips. */
function instantOf(clock: Clock, wanted: number): number | null {
  const offsets = [wanted - dayMs, wanted + dayMs].map((nearby) => clock(nearby) - nearby);
  const instants = offsets.map((offset) => wanted - offset).filter((at) => clock(at) === wanted);
  return instants.length === 0 ? null : Math.min(...instants);
}
