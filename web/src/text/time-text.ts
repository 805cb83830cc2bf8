/** Points in time as people read them. */

const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 24 * 3600],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
];
const formatter = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** Distance of an ISO 8601 time from `nowMs`, in its largest whole unit: "2 hours ago", "in 5 minutes". */
export function relativeTime(at: string, nowMs: number): string {
  const seconds = Math.trunc((Date.parse(at) - nowMs) / 1000);
  const [unit, length] = units.find(([, size]) => Math.abs(seconds) >= size) ?? ['second', 1];
  return formatter.format(Math.trunc(seconds / length), unit);
}

const absolute = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'long' });

/** With the reader's time zone. */
export function absoluteTime(at: string): string {
  return absolute.format(new Date(at));
}

const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });

/** "14:05:09", in the reader's time zone. */
export function clockTime(at: string): string {
  return clock.format(new Date(at));
}

/** "850 ms", "1.2 s", "3 min 20 s". */
export function durationText(durationMs: number): string {
  if (durationMs < 1000) {
    return `${Math.round(durationMs)} ms`;
  }
  const seconds = durationMs / 1000;
  return seconds < 60
    ? `${seconds.toFixed(1)} s`
    : `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}
