/** What a bench was to reach, beside what it reached. */
import { table } from './table.ts';

export interface Aim {
  /** The figure, its peer and its limit, in words. */
  aim: string;
  reached: number;
  isMet: boolean;
}

export const atMost = (what: string, limit: number, reached: number): Aim => ({
  aim: `${what}, at most ${limit.toLocaleString('en')}`,
  reached,
  isMet: reached <= limit,
});

export const aimsTable = (aims: readonly Aim[]): string =>
  table([
    ['aim', 'reached', ''],
    ...aims.map(({ aim, reached, isMet }) => [aim, figure(reached), isMet ? 'met' : 'MISSED']),
  ]);

const figure = (value: number) => value.toFixed(Number.isInteger(value) ? 0 : value < 0.1 ? 4 : 2);
