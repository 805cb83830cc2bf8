/** The days of a calendar, as clocks of a time zone show them. */

export interface Day {
  /** `2026-11-30` */
  date: string;
  /** Its first moment, as milliseconds of Unix time; not always 24 hours before that of the next. */
  startMs: number;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** No clock is further from UTC. */
const farthestMs = 15 * hourMs;

/** The last days up to that of `nowMs`, oldest first. `timeZone` is one that `knownTimeZone` knows. */
export function lastDays(count: number, timeZone: string, nowMs: number): Day[] {
  const format = new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' });
  const dateAt = (ms: number): string => format.format(ms);
  const todayMs = Date.parse(dateAt(nowMs));
  return Array.from({ length: count }, (_, at) => {
    const utcMs = todayMs - (count - 1 - at) * 24 * hourMs;
    const date = new Date(utcMs).toISOString().slice(0, 10);
    return { date, startMs: firstMinute(utcMs, (ms) => dateAt(ms) >= date) };
  });
}

/** The first minute within a clock's distance from which on `isReached` holds. */
function firstMinute(aroundMs: number, isReached: (ms: number) => boolean): number {
  let before = aroundMs - farthestMs;
  let after = aroundMs + farthestMs;
  while (after - before > minuteMs) {
    const middle = before + Math.floor((after - before) / 2 / minuteMs) * minuteMs;
    if (isReached(middle)) {
      after = middle;
    } else {
      before = middle;
    }
  }
  return after;
}
