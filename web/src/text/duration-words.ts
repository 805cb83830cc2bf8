/** Lengths of time as people type and read them: "2 h 30 min", "90m", "1 day". Pure. */

const unitSeconds: Readonly<Record<string, number>> = {
  ...{ s: 1, sec: 1, secs: 1, second: 1, seconds: 1 },
  ...{ m: 60, min: 60, mins: 60, minute: 60, minutes: 60 },
  ...{ h: 3600, hr: 3600, hrs: 3600, hour: 3600, hours: 3600 },
  ...{ d: 86_400, day: 86_400, days: 86_400, w: 604_800, week: 604_800, weeks: 604_800 },
};

/** Whole seconds of what was typed; null for anything else, also for a number without a unit. */
export function parseDuration(text: string): number | null {
  const words = text.trim().toLowerCase();
  // "1,000 s" is a thousand to some readers and one to others.
  const isAmbiguous = /[1-9]\d*[.,]\d{3}(?!\d)/.test(words);
  if (isAmbiguous || !/^(\d+([.,]\d+)?\s*[a-z]+[\s,]*)+$/.test(words)) {
    return null;
  }
  let seconds = 0;
  for (const [, count = '', unit = ''] of words.matchAll(/(\d+(?:[.,]\d+)?)\s*([a-z]+)/g)) {
    const length = Object.hasOwn(unitSeconds, unit) ? unitSeconds[unit] : undefined;
    if (length === undefined) {
      return null;
    }
    seconds += Number(count.replace(',', '.')) * length;
  }
  // A third of an hour and the like are meant to the second.
  return Number.isSafeInteger(Math.round(seconds)) ? Math.round(seconds) : null;
}

/** "2 h 30 min", "1 day", "1 min 30 s": reads back as the same length. Fractions are shown as they are. */
export function durationWords(seconds: number): string {
  if (!Number.isInteger(seconds)) {
    return `${seconds} s`;
  }
  const parts: string[] = [];
  let rest = seconds;
  for (const [length, unit] of [
    [86_400, 'day'],
    [3600, 'h'],
    [60, 'min'],
    [1, 's'],
  ] as const) {
    const count = Math.floor(rest / length);
    rest -= count * length;
    if (count > 0) {
      parts.push(`${count} ${unit}${unit === 'day' && count > 1 ? 's' : ''}`);
    }
  }
  return parts.length === 0 ? '0 s' : parts.join(' ');
}

/** What a form says of a length of time that it cannot read. */
export const durationProblem = 'must be a length of time such as 2 h 30 min';
