/** Random choices that a printed seed brings back. */
import { randomInt } from 'node:crypto';
import { testMode } from './mode.ts';

export interface SeededRandom {
  seed: number;
  /** From 0 up to, and without, `limit`. */
  below(limit: number): number;
  /** True in `percent` of 100 cases. */
  chance(percent: number): boolean;
  /** One of them; throws for an empty list. */
  pick<Value>(values: readonly Value[]): Value;
}

/** What is tried in each run, so that a run fails for what was changed and for nothing else. */
export const fixedSeed = 20_261_128;

/** Whether each run tries something else: those of mode `long` do, and those with `TEST_SEEDS=random`. */
export function hasRandomSeeds(): boolean {
  const named = process.env['TEST_SEEDS'] ?? (testMode() === 'long' ? 'random' : 'fixed');
  if (named !== 'random' && named !== 'fixed') {
    throw new Error(`TEST_SEEDS is ${named}; it is random or fixed`);
  }
  return named === 'random';
}

/** The seed that the variable names, or else a new or the fixed one; written to the output either way. */
export function announcedSeed(test: string, variable: string): number {
  const seed = Number(process.env[variable] ?? (hasRandomSeeds() ? randomInt(2 ** 31) : fixedSeed));
  process.stdout.write(`${test}: ${variable}=${seed}\n`);
  return seed;
}

/** mulberry32: 32 bits of state are plenty for choosing among a few dozen things. */
export function seededRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  const below = (limit: number) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  };
  return {
    seed,
    below,
    chance: (percent) => below(100) < percent,
    pick<Value>(values: readonly Value[]) {
      if (values.length === 0) {
        throw new Error('there is nothing to choose from');
      }
      return values[below(values.length)] as Value;
    },
  };
}
