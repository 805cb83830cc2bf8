/**
 * Property tests: how many values each tries, and from which seed. Every property is checked
 * here (test/architecture).
 */
import fc from 'fast-check';
import { recordCost } from './costs.ts';
import { volume } from './mode.ts';
import { announcedSeed, fixedSeed, hasRandomSeeds } from './seeded-random.ts';

export interface PropertyOptions<Values> {
  /** In mode `full`; 100 by default. */
  runs?: number;
  /** Values that are tried first, whatever the seed. */
  examples?: Values[];
}

/**
 * A tenth as many in mode `quick`, but no fewer than 25 where `full` has as many, and five
 * times as many in mode `long`.
 */
export function runsInMode(full: number): number {
  return volume({ quick: Math.min(full, Math.max(25, Math.ceil(full / 10))), full, long: full * 5 });
}

/**
 * Throws for values that the property does not hold for, with the smallest such values, the seed and the path
 * to them: `PROPERTY_SEED=` the seed brings them back. Returns how many values it held for.
 */
export function checkProperty<Values>(
  property: fc.IProperty<Values>,
  options: PropertyOptions<Values> = {},
): number {
  const parameters = parametersOf(options);
  fc.assert(property, parameters);
  return parameters.numRuns;
}

/** `checkProperty` where each value takes a while. */
export async function checkAsyncProperty<Values>(
  property: fc.IAsyncProperty<Values>,
  options: PropertyOptions<Values> = {},
): Promise<number> {
  const parameters = parametersOf(options);
  await fc.assert(property, parameters);
  return parameters.numRuns;
}

function parametersOf<Values>({ runs = 100, examples = [] }: PropertyOptions<Values>) {
  const numRuns = runsInMode(runs);
  recordCost('propertyRuns', numRuns);
  return { numRuns, examples, seed: propertySeed() };
}

/** `count` values, the same for the same seed. */
export function samplesOf<Value>(
  arbitrary: fc.Arbitrary<Value>,
  count: number,
  seed = propertySeed(),
): Value[] {
  recordCost('propertyRuns', count);
  return fc.sample(arbitrary, { numRuns: count, seed });
}

/** A seed that differs from run to run is written before its values are tried: they may end the process. */
function propertySeed(): number {
  const isKnown = process.env['PROPERTY_SEED'] === undefined && !hasRandomSeeds();
  return isKnown ? fixedSeed : announcedSeed('property', 'PROPERTY_SEED');
}
