/**
 * `node scripts/test-summary.mjs NAME ...`: sums the last runs of these selections, as CI shows them; ends
 * with 1 where not all is well.
 */
import { fileURLToPath } from 'node:url';
import { addCosts, grownCosts } from './test/costs.mjs';
import { stampPassed } from './test/due.mjs';
import { describeLastPassed } from './test/last-passed.mjs';
import { nothing, printSummary, readResult } from './test/results.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const results = process.argv.slice(2).map((name) => readResult(root, name));
const grown = grownCosts('full', results.map(({ costs }) => costs).reduce(addCosts, {}));
const failed = new Set(results.flatMap(({ failures }) => failures.map((failure) => failure.split(': ')[0])));
const files = results.flatMap((result) => result.files.map(({ path }) => path));
await stampPassed(
  root,
  files.filter((path) => !failed.has(path)),
  process.env,
);
console.log(`\n${await describeLastPassed(root, process.env)}`);
process.exitCode = printSummary([...results, { ...nothing, failures: grown }]) ? 0 : 1;
