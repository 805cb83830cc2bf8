/** Cron expressions as people choose and read them, for those that say something simple. Pure. */
import { type CronTimes, parseCron } from '../../../contract/cron.ts';

/** Once on some days, at one time. Days of the week are from 0, which is Sunday. */
export type SimpleTimes = { hour: number; minute: number } & (
  | { kind: 'daily' }
  | { kind: 'weekly'; days: readonly number[] }
  | { kind: 'monthly'; day: number }
);

const two = (value: number) => String(value).padStart(2, '0');

/** "07:30". */
export const timeOfDay = ({ hour, minute }: { hour: number; minute: number }): string =>
  `${two(hour)}:${two(minute)}`;

const dayNames = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];
const dayWords = ['Sundays', 'Mondays', 'Tuesdays', 'Wednesdays', 'Thursdays', 'Fridays', 'Saturdays'];
/** Weeks begin on Monday where they are shown. */
export const daysOfWeek = [1, 2, 3, 4, 5, 6, 0];
const weekdays = [1, 2, 3, 4, 5];

const isSame = (some: readonly number[], others: readonly number[]) =>
  some.length === others.length && others.every((day) => some.includes(day));

export function expressionOf(times: SimpleTimes): string {
  const { hour, minute } = times;
  switch (times.kind) {
    case 'daily':
      return `${minute} ${hour} * * *`;
    case 'weekly': {
      const days = daysOfWeek.filter((day) => times.days.includes(day));
      const text = isSame(days, weekdays) ? 'MON-FRI' : days.map((day) => dayNames[day]).join();
      return `${minute} ${hour} * * ${text}`;
    }
    case 'monthly':
      return `${minute} ${hour} ${times.day} * *`;
  }
}

/** What an expression says, where it is as simple as that; else null. */
export function simpleTimesOf(expression: string): SimpleTimes | null {
  const { times } = parseCron(expression);
  const [hour, minute] = [times?.hours[0], times?.minutes[0]];
  if (times === null || hour === undefined || minute === undefined) {
    return null;
  }
  const { daysOfMonth: dates, daysOfWeek: days } = times;
  if (times.hours.length > 1 || times.minutes.length > 1 || times.months.length < 12 || times.eitherDay) {
    return null;
  }
  const [date] = dates;
  if (dates.length === 31) {
    return days.length === 7 ? { kind: 'daily', hour, minute } : { kind: 'weekly', hour, minute, days };
  }
  return dates.length === 1 && date !== undefined && days.length === 7
    ? { kind: 'monthly', hour, minute, day: date }
    : null;
}

/** "Weekdays at 07:30", "Every 15 minutes"; null for what is not said as simply. */
export function cronWords(expression: string): string | null {
  const simple = simpleTimesOf(expression);
  if (simple === null) {
    const { times } = parseCron(expression);
    return times === null ? null : repeatedWords(times);
  }
  const at = `at ${timeOfDay(simple)}`;
  switch (simple.kind) {
    case 'daily':
      return `Every day ${at}`;
    case 'weekly':
      return `${weeklyWords(simple.days)} ${at}`;
    case 'monthly':
      return simple.day > 28
        ? `On the ${ordinal(simple.day)} of each month that has one ${at}`
        : `On the ${ordinal(simple.day)} of each month ${at}`;
  }
}

function weeklyWords(days: readonly number[]): string {
  if (isSame(days, weekdays)) {
    return 'Weekdays';
  }
  const words = daysOfWeek.flatMap((day) => (days.includes(day) ? [dayWords[day] ?? ''] : []));
  return new Intl.ListFormat('en-GB').format(words);
}

function ordinal(day: number): string {
  const ending = { one: 'st', two: 'nd', few: 'rd' }[
    new Intl.PluralRules('en', { type: 'ordinal' }).select(day) as string
  ];
  return `${day}${ending ?? 'th'}`;
}

/** Through every day: in equal steps from the full hour, or at one minute of every hour. */
function repeatedWords({ minutes, hours, daysOfMonth, months, daysOfWeek: days }: CronTimes): string | null {
  if (daysOfMonth.length < 31 || months.length < 12 || days.length < 7 || hours.length < 24) {
    return null;
  }
  const step = 60 / minutes.length;
  if (minutes.length === 1) {
    return `Every hour at ${two(minutes[0] ?? 0)} past`;
  }
  return Number.isInteger(step) && minutes.every((minute, at) => minute === at * step)
    ? `Every ${step === 1 ? 'minute' : `${step} minutes`}`
    : null;
}
