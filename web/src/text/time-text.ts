/** Points in time as people read them. */

const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 24 * 3600],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
];
const formatter = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/**
 * Distance of an ISO 8601 time from `nowMs`: "2 hours ago", "in 5 minutes". The past is counted
 * in whole units that went by; the future is rounded, so that what lasts 24 hours does not say
 * "in 23 hours" a second later.
 */
export function relativeTime(at: string, nowMs: number): string {
  const seconds = (Date.parse(at) - nowMs) / 1000;
  const counted = (length: number) =>
    seconds > 0 ? Math.round(seconds / length) : Math.trunc(seconds / length);
  // By the next smaller unit: what rounds to 24 hours is a day, and half a day is not.
  const reaches = (size: number, smaller: number) => Math.abs(counted(smaller)) * smaller >= size;
  const [unit, length] = units.find(([, size], at) => reaches(size, units[at + 1]?.[1] ?? 1)) ?? [
    'second',
    1,
  ];
  return formatter.format(counted(length), unit);
}

const absolute = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'long' });

/** With the reader's time zone. */
export function absoluteTime(at: string): string {
  return absolute.format(new Date(at));
}

const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });

const minute = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short' });

/** "at 14:05", or "from 14:05 to 14:09", in the reader's time zone. */
export function minutesText(first: string, last: string): string {
  const [from, to] = [first, last].map((at) => minute.format(new Date(at)));
  return from === to ? `at ${from}` : `from ${from} to ${to}`;
}

const today = new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long' });

/** "Saturday 28 November", in the reader's time zone. */
export function todayText(now: Date): string {
  return today.format(now).replace(',', '');
}

const shortDay = new Intl.DateTimeFormat('en-GB', { weekday: 'short' });
const shortDate = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const weekMs = 6 * 24 * 3600 * 1000;

/** A time to come: "12:00" today, "Sun 03:10" within days, else "1 Jan 00:00"; in the reader's time zone. */
export function dayAndTimeText(at: string, now: Date): string {
  const time = new Date(at);
  const clockText = minute.format(time);
  if (time.toDateString() === now.toDateString()) {
    return clockText;
  }
  const day = time.getTime() - now.getTime() < weekMs ? shortDay : shortDate;
  return `${day.format(time)} ${clockText}`;
}

/** "1 Nov 00:00", in the reader's time zone. */
export function dayAndClockText(at: string): string {
  const time = new Date(at);
  return `${shortDate.format(time)} ${minute.format(time)}`;
}

/** "14:05:09", in the reader's time zone. */
export function clockTime(at: string): string {
  return clock.format(new Date(at));
}

/** How long something goes on, as a clock counts it: "6:39", "1:02:07". */
export function elapsedText(durationMs: number): string {
  const seconds = Math.max(0, Math.floor(durationMs / 1000));
  const two = (value: number) => String(value).padStart(2, '0');
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return hours === 0 ? `${minutes}:${two(seconds % 60)}` : `${hours}:${two(minutes)}:${two(seconds % 60)}`;
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
