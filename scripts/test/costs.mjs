/**
 * What a run cost. Processor time depends on the machine and is only shown; what is counted may not grow
 * unnoticed (test/costs.json).
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const dearestShown = 10;
const counted = ['platforms', 'pageLoads', 'axeLooks', 'workers'];

/**
 * `{ platforms, pageLoads, axeLooks, workers, propertyRuns }`: sums over files, but for
 * `propertyRuns`, the most of one file.
 */
export function sumOfCosts(entries) {
  const sums = Object.fromEntries(
    counted.map((cost) => [cost, entries.reduce((sum, entry) => sum + (entry[cost] ?? 0), 0)]),
  );
  return { ...sums, propertyRuns: Math.max(0, ...entries.map((entry) => entry.propertyRuns ?? 0)) };
}

/** Two runs as one. */
export function addCosts(one, other) {
  return Object.fromEntries(
    Object.keys({ ...one, ...other }).map((cost) => {
      const [a, b] = [one[cost] ?? 0, other[cost] ?? 0];
      return [cost, cost === 'propertyRuns' ? Math.max(a, b) : a + b];
    }),
  );
}

/** A line for each count that is larger than test/costs.json allows for this kind of run. */
export function grownCosts(kind, costs) {
  const file = fileURLToPath(new URL('../../test/costs.json', import.meta.url));
  const allowed = JSON.parse(readFileSync(file, 'utf8'))[kind];
  return Object.entries(allowed)
    .filter(([cost, most]) => (costs[cost] ?? 0) > most)
    .map(([cost, most]) => `${cost}: ${costs[cost]}, where test/costs.json has ${most} for ${kind}`);
}

/** The dearest files of all results, and the sums. */
export function printCosts(results) {
  const files = results.flatMap((result) => result.files);
  if (files.length > 1) {
    console.log('\nThe dearest files, in seconds of processor time (and of waiting and working):');
    for (const { path, processorMs, seconds } of files
      .toSorted((a, b) => b.processorMs - a.processorMs)
      .slice(0, dearestShown)) {
      console.log(`  ${(processorMs / 1000).toFixed(1).padStart(6)} (${seconds.toFixed(1)})  ${path}`);
    }
  }
  const costs = results.map((result) => result.costs).reduce(addCosts, {});
  const texts = Object.entries(costs).map(([cost, count]) => `${cost} ${count}`);
  const sum = (member) => results.reduce((total, result) => total + result[member], 0);
  console.log(
    `\n${files.length} files in ${(sum('seconds') / 60).toFixed(1)} minutes; ${Math.round(sum('processorMs') / 1000)} s of processor time in all; ${texts.join(', ')}`,
  );
}
