/** The scale of a chart of counts. Pure. */

const steps = [2, 4, 6, 8, 10, 12, 16, 20];

/** The smallest even number, of those that read well, which holds `most`: half of it is whole, too. */
export function scaleTop(most: number): number {
  let power = 1;
  while (most > 20 * power) {
    power *= 10;
  }
  return (steps.find((step) => step * power >= most) ?? 20) * power;
}

/**
 * Which of the days have their name below them, and which of those also on a phone: each of a week, else one
 * a week, or every other one; always the last.
 */
export function namedDays(count: number): { at: number; isOnPhone: boolean }[] {
  const step = count <= 7 ? 1 : count <= 45 ? 7 : 14;
  const named = Math.ceil(count / step);
  return Array.from({ length: named }, (_, fromLast) => ({
    at: count - 1 - fromLast * step,
    isOnPhone: fromLast % 2 === 0,
  })).reverse();
}
