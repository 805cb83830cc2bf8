/**
 * Cron expressions of schedules: five fields of numbers, names, ranges, lists and steps, and nothing else.
 * They are read here and handed to Temporal as sets of numbers, so that what is checked and what fires are
 * one thing (docs/decisions/0054).
 */

export interface CronTimes {
  minutes: number[];
  hours: number[];
  daysOfMonth: number[];
  /** From 1. */
  months: number[];
  /** From 0, which is Sunday. */
  daysOfWeek: number[];
  /** Both fields of days are restricted: a day that fits one of them counts, as in every crontab. */
  eitherDay: boolean;
}

export type ParsedCron = { times: CronTimes; problem: null } | { times: null; problem: string };

interface Field {
  title: string;
  least: number;
  most: number;
  /** Of the numbers from `least` on. */
  names?: readonly string[];
}

const fields = {
  minutes: { title: 'minute', least: 0, most: 59 },
  hours: { title: 'hour', least: 0, most: 23 },
  daysOfMonth: { title: 'day of the month', least: 1, most: 31 },
  months: {
    title: 'month',
    least: 1,
    most: 12,
    names: ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'],
  },
  // 7 is Sunday as well.
  daysOfWeek: {
    title: 'day of the week',
    least: 0,
    most: 7,
    names: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'],
  },
} as const satisfies Record<string, Field>;

class CronProblem extends Error {}

/** What every crontab has a word for. */
const words: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};

/**
 * Reads an expression. `problem` is a sentence that names the field; an expression that never fires
 * is refused with one, too.
 */
export function parseCron(text: string): ParsedCron {
  const word = text.trim().toLowerCase();
  const parts = (Object.hasOwn(words, word) ? (words[word] ?? '') : text.trim()).split(/\s+/);
  if (parts[0]?.startsWith('@') === true) {
    return refused('names no time: the words are @hourly, @daily, @weekly, @monthly and @yearly, each alone');
  }
  const [minute, hour, dayOfMonth, month, dayOfWeek] = parts;
  if (parts.length !== 5 || !minute || !hour || !dayOfMonth || !month || !dayOfWeek) {
    return refused('must have five fields: minute, hour, day of the month, month, day of the week');
  }
  try {
    const times: CronTimes = {
      minutes: valuesOf(minute, fields.minutes),
      hours: valuesOf(hour, fields.hours),
      daysOfMonth: valuesOf(dayOfMonth, fields.daysOfMonth),
      months: valuesOf(month, fields.months),
      daysOfWeek: inOrder(valuesOf(dayOfWeek, fields.daysOfWeek).map((day) => day % 7)),
      eitherDay: !dayOfMonth.startsWith('*') && !dayOfWeek.startsWith('*'),
    };
    return firesEver(times)
      ? { times, problem: null }
      : refused('never fires: none of its months has such a day');
  } catch (error) {
    if (error instanceof CronProblem) {
      return refused(error.message);
    }
    throw error;
  }
}

/** The shortest time between two times of one day, or from the last of a day to the first of the next. */
export function shortestGapSeconds({ hours, minutes }: CronTimes): number {
  const minutesOfDay = hours.flatMap((hour) => minutes.map((minute) => hour * 60 + minute));
  const first = minutesOfDay[0] ?? 0;
  const following = [...minutesOfDay.slice(1), first + 24 * 60];
  return 60 * Math.min(...following.map((minute, at) => minute - (minutesOfDay[at] ?? 0)));
}

const refused = (problem: string): ParsedCron => ({ times: null, problem });

function valuesOf(text: string, field: Field): number[] {
  return inOrder(text.split(',').flatMap((part) => valuesOfPart(part, field)));
}

const inOrder = (values: number[]) => [...new Set(values)].sort((one, other) => one - other);

function valuesOfPart(part: string, field: Field): number[] {
  const [, range, step] = /^([^/]+)(?:\/(\d{1,2}))?$/.exec(part) ?? [];
  if (range === undefined || step === '0' || step === '00') {
    throw new CronProblem(`the ${field.title} "${part}" is not a number, name, range, list or step`);
  }
  const [from, to] = boundsOf(range, field, step !== undefined);
  if (from > to) {
    throw new CronProblem(`the ${field.title} "${part}" goes backwards`);
  }
  const every = Number(step ?? 1);
  return Array.from({ length: Math.floor((to - from) / every) + 1 }, (_, at) => from + at * every);
}

/** `5/10` is from 5 to the end in steps of 10. */
function boundsOf(range: string, field: Field, hasStep: boolean): [number, number] {
  // The second name of Sunday is no day of its own.
  const last = field.most === 7 ? 6 : field.most;
  if (range === '*') {
    return [field.least, last];
  }
  const [from = '', to, ...more] = range.split('-');
  const first = numberOf(from, field);
  if (more.length > 0) {
    throw new CronProblem(`the ${field.title} "${range}" is not a range`);
  }
  if (to === undefined) {
    return [first, hasStep ? Math.max(first, last) : first];
  }
  const end = numberOf(to, field);
  // `MON-SUN`: at the end of a range Sunday is the day after Saturday.
  return [first, field.most === 7 && end === 0 && first > 0 ? 7 : end];
}

function numberOf(text: string, { title, least, most, names = [] }: Field): number {
  const named = names.indexOf(text.toLowerCase());
  const value = named >= 0 ? named + least : /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= least && value <= most)) {
    const byName = names.length === 0 ? '' : `, or a name of three letters such as ${names[1]}`;
    throw new CronProblem(`the ${title} "${text}" must be from ${least} to ${most}${byName}`);
  }
  return value;
}

const daysIn = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Every day of the week falls on every date sooner or later, on the 29th of February within 40 years. */
function firesEver({ daysOfMonth, months, eitherDay }: CronTimes): boolean {
  const earliest = daysOfMonth[0] ?? 32;
  return eitherDay || months.some((month) => earliest <= (daysIn[month - 1] ?? 0));
}
