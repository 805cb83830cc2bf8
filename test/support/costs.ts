/**
 * What a test file used of the dear things, counted: time depends on the machine, and these numbers do not.
 */

export type Cost = 'platforms' | 'pageLoads' | 'axeLooks' | 'workers' | 'propertyRuns';

const key = Symbol.for('gatepost.test-costs');
// The runner reads it after each file (test/runner).
const holder = globalThis as typeof globalThis & { [key]?: Partial<Record<Cost, number>> };

/** Notes that this test file used `count` more of it. */
export function recordCost(cost: Cost, count = 1): void {
  holder[key] ??= {};
  holder[key][cost] = (holder[key][cost] ?? 0) + count;
}
