/** Counts of days, for charts: what they are of, their sums, and the same as text. Pure. */
export interface BarPart {
  name: string;
  /** Where people do not call it by its name. */
  label?: string;
  /** By its meaning; `plain` has none but its size. */
  fill: 'ok' | 'fail' | 'refused' | 'denied' | 'wait' | 'run' | 'idle' | 'plain';
}

/** What became of permission requests. */
export const requestParts = [
  { name: 'approved', fill: 'ok' },
  { name: 'denied', fill: 'denied' },
  { name: 'expired', fill: 'idle' },
  { name: 'cancelled', fill: 'idle' },
  { name: 'open', fill: 'wait' },
] as const satisfies readonly BarPart[];

export type RequestPart = (typeof requestParts)[number]['name'];

export interface BarDay {
  /** As a date, `2026-11-30`. */
  day: string;
  /** One for each part, in their order. */
  counts: readonly number[];
}

const weekday = new Intl.DateTimeFormat('en-GB', { weekday: 'long', timeZone: 'UTC' });
export const dayName = (day: string): string => weekday.format(new Date(`${day}T00:00:00Z`));

/** Of all days, the parts in their order. */
export const sumsOf = <Name extends string>(
  parts: readonly (BarPart & { name: Name })[],
  days: readonly Record<Name, number>[],
): (BarPart & { name: Name; sum: number })[] =>
  parts.map((part) => ({ ...part, sum: days.reduce((sum, day) => sum + day[part.name], 0) }));

/** Each day with its counts in the order of the parts. */
export const inOrder = <Name extends string>(
  parts: readonly (BarPart & { name: Name })[],
  days: readonly ({ day: string } & Record<Name, number>)[],
): BarDay[] => days.map((day) => ({ day: day.day, counts: parts.map(({ name }) => day[name]) }));

/** "5 approved, 1 denied". */
export function countsText(parts: readonly BarPart[], { counts }: BarDay): string {
  const named = parts.flatMap(({ name, label = name }, at) =>
    counts[at] === 0 ? [] : [`${counts[at]} ${label}`],
  );
  return named.length === 0 ? 'none' : named.join(', ');
}
