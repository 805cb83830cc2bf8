/**
 * How much a run repeats what it tries at random: little each time, more before a landing, most
 * when somebody has the time.
 */

const modes = ['quick', 'full', 'long'] as const;
export type TestMode = (typeof modes)[number];

/**
 * `quick` is `npm test`, `full` is what CI runs, `long` is `npm run test:all`. Throws for a
 * `TEST_MODE` that is none of them.
 */
export function testMode(): TestMode {
  const named = process.env['TEST_MODE'] ?? 'quick';
  const mode = modes.find((one) => one === named);
  if (mode === undefined) {
    throw new Error(`TEST_MODE is ${named}; it is one of ${modes.join(', ')}`);
  }
  return mode;
}

/**
 * A number of operations, lines or runs in each mode. The environment variable `variable`, where
 * it is set, counts instead.
 */
export function volume(counts: Record<TestMode, number>, variable?: string): number {
  const given = variable === undefined ? undefined : process.env[variable];
  return given === undefined ? counts[testMode()] : Number(given);
}
