/** What benches share: arguments, turns, ratios with their spread, and the report. */
import { writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg } from 'node:os';

/** Prints the usage and ends the process for `--help`, or with 2 and the reason when `read` throws. */
export function orUsage<Options>(usage: string, read: () => Options | 'help'): Options {
  try {
    const options = read();
    if (options !== 'help') {
      return options;
    }
    console.log(usage);
    process.exit(0);
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${usage}`);
    process.exit(2);
  }
}

/** A whole number that is `least` or more; throws with the option's name. */
export function whole(flag: string, text: string, least = 1): number {
  const value = Number(text);
  if (text === '' || !Number.isInteger(value) || value < least) {
    throw new Error(`${flag}: ${text} is not a whole number of ${least} or more`);
  }
  return value;
}

/** A number above 0; throws with the option's name. */
export function positive(flag: string, text: string): number {
  const value = Number(text);
  if (!(value > 0 && Number.isFinite(value))) {
    throw new Error(`${flag}: ${text} is not a number above 0`);
  }
  return value;
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export const median = (values: readonly number[]) => quantile(values, 0.5);

/**
 * Measures all in each turn, one after the other, so that other load of the machine meets them alike. What is
 * measured in the warm-up turns before turn 0 is dropped. Returns the samples of each, in its order.
 */
export async function inTurns<Sample>(
  { turns, warmUps = 0 }: { turns: number; warmUps?: number },
  measures: readonly ((turn: number) => Promise<Sample> | Sample)[],
): Promise<Sample[][]> {
  const samples: Sample[][] = measures.map(() => []);
  for (let turn = -warmUps; turn < turns; turn += 1) {
    for (const [index, measure] of measures.entries()) {
      const sample = await measure(turn);
      if (turn >= 0) {
        samples[index]?.push(sample);
      }
    }
  }
  return samples;
}

export interface Ratio {
  median: number;
  /** Its spread: the quartiles. */
  low: number;
  high: number;
}

/** Of figures that were measured in the same turns, turn by turn. */
export function ratioOf(figures: readonly number[], others: readonly number[]): Ratio {
  const ratios = figures.map((figure, turn) => figure / (others[turn] ?? Number.NaN));
  return { median: median(ratios), low: quantile(ratios, 0.25), high: quantile(ratios, 0.75) };
}

export const ratioText = ({ median: middle, low, high }: Ratio): string =>
  `${middle.toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})`;

/** Lines of a table as text. The first row is its head; the first column is text, the others are figures. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) =>
    row
      .map((text, column) =>
        column === 0 ? text.padEnd(widths[0] ?? 0) : text.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  );
  return [lines[0], '-'.repeat(Math.max(...lines.map(({ length }) => length))), ...lines.slice(1)].join('\n');
}

/** What a bench was to reach, beside what it reached. */
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

export const atLeast = (what: string, limit: number, reached: number): Aim => ({
  aim: `${what}, at least ${limit.toLocaleString('en')}`,
  reached,
  isMet: reached >= limit,
});

export const aimsTable = (aims: readonly Aim[]): string =>
  table([
    ['aim', 'reached', ''],
    ...aims.map(({ aim, reached, isMet }) => [aim, figure(reached), isMet ? 'met' : 'MISSED']),
  ]);

const figure = (value: number) => value.toFixed(Number.isInteger(value) ? 0 : value < 0.1 ? 4 : 2);

/** What the figures were measured on, and what else it had to do. */
export function machineLine(): string {
  const load = loadavg().map((value) => value.toFixed(1));
  return `Node ${process.version}, ${availableParallelism()} cores (${cpus()[0]?.model ?? process.arch}), load ${load.join(' ')}`;
}

/** Writes the figures for `--json`. Returns the exit code: 1 for a missed aim with `--check`. */
export function conclude(
  { json = null, check }: { json?: string | null; check: boolean },
  { figures, aims }: { figures: unknown; aims: readonly Pick<Aim, 'isMet'>[] },
): number {
  if (json !== null) {
    writeFileSync(json, `${JSON.stringify(figures, null, 2)}\n`);
  }
  return check && aims.some(({ isMet }) => !isMet) ? 1 : 0;
}
