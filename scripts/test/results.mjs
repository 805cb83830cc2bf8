/** What a run of `npm test` came to: kept in a file, so that several runs can be summed. */
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeWhole } from '../setup/write-whole.mjs';

const slowestShown = 10;

const fileOf = (root, name) => join(root, '.cache/test-results', `${name}.json`);

export function forgetResult(root, name) {
  rmSync(fileOf(root, name), { force: true });
}

/** `result`: `{ passed, failed, skipped, files: [{ path, seconds }], failures: [name] }`. */
export function keepResult(root, name, result) {
  mkdirSync(join(root, '.cache/test-results'), { recursive: true });
  writeWhole(fileOf(root, name), JSON.stringify(result));
}

/** A run that left no result, because its set-up failed or it was killed, counts as one failure. */
export function readResult(root, name) {
  const file = fileOf(root, name);
  return existsSync(file)
    ? JSON.parse(readFileSync(file, 'utf8'))
    : { passed: 0, failed: 1, skipped: 0, files: [], failures: [`${name}: left no result`] };
}

/** Prints the slowest files of all results, what failed, and the counts as the last line. */
export function printSummary(results) {
  const slowest = results
    .flatMap(({ files }) => files)
    .toSorted((a, b) => b.seconds - a.seconds)
    .slice(0, slowestShown);
  if (slowest.length > 1) {
    console.log('\nThe slowest files:');
    for (const { path, seconds } of slowest) {
      console.log(`  ${seconds.toFixed(1).padStart(6)} s  ${path}`);
    }
  }
  const failures = results.flatMap((result) => result.failures);
  if (failures.length > 0) {
    console.log('\nWhat failed:');
    for (const failure of failures) {
      console.log(`  ${failure}`);
    }
  }
  const sum = (count) => results.reduce((total, result) => total + result[count], 0);
  console.log(`\n${sum('passed')} passed, ${sum('failed')} failed, ${sum('skipped')} skipped`);
}
