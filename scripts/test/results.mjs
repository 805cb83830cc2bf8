/** What a run of `npm test` came to: kept in a file, so that several runs can be summed. */
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { writeWhole } from '../setup/write-whole.mjs';
import { printCosts, sumOfCosts } from './costs.mjs';
import { mostSecondTries } from './second-tries.mjs';

const fileOf = (root, name) => join(root, '.cache/test-results', `${name}.json`);

/**
 * The result of a run without any test. `failed` counts tests; `failures` names what
 * failed, also what is no test.
 */
export const nothing = {
  passed: 0,
  failed: 0,
  skipped: 0,
  files: [],
  failures: [],
  secondTries: [],
  notDue: [],
  costs: {},
  seconds: 0,
  processorMs: 0,
};

export function forgetResult(root, name) {
  rmSync(fileOf(root, name), { force: true });
}

export function keepResult(root, name, result) {
  mkdirSync(join(root, '.cache/test-results'), { recursive: true });
  writeWhole(fileOf(root, name), JSON.stringify(result));
}

/** A run that left no result, because its set-up failed or it was killed, counts as one failure. */
export function readResult(root, name) {
  const file = fileOf(root, name);
  return existsSync(file)
    ? JSON.parse(readFileSync(file, 'utf8'))
    : { ...nothing, failed: 1, failures: [`${name}: left no result`] };
}

/**
 * Of jest's result (null where it left none), the runner's entries for each file, and whether each check
 * passed. What is left open by a file is a failure of this file.
 */
export function resultOf(root, result, entries, checked) {
  const failedChecks = checked.filter((passed) => !passed).length;
  const leftBehind = entries.filter((entry) => entry.leftBehind.length > 0);
  return {
    ...nothing,
    passed: checked.length - failedChecks + (result?.numPassedTests ?? 0),
    // A suite that does not even load has no tests to count, and is a failure all the same.
    failed:
      failedChecks +
      leftBehind.length +
      (result ? result.numFailedTests + result.numRuntimeErrorTestSuites : 1),
    skipped: (result?.numPendingTests ?? 0) + (result?.numTodoTests ?? 0),
    files: (result?.testResults ?? []).map(({ name, startTime, endTime }) => ({
      path: relative(root, name),
      seconds: (endTime - startTime) / 1000,
      processorMs: entries.findLast(({ path }) => path === relative(root, name))?.processorMs ?? 0,
    })),
    failures: [
      ...(result ? failedTests(root, result) : ['jest: left no result']),
      ...leftBehind.map(({ path, leftBehind: left }) => `${path}: left behind ${left.join(', ')}`),
      ...Array.from({ length: failedChecks }, () => 'format, lint or types: see above'),
    ],
    secondTries: entries.filter(({ attempt, passed }) => attempt === 2 && passed),
    // A second try is named, and is no growth.
    costs: sumOfCosts(entries.filter(({ attempt }) => attempt === 1)),
  };
}

/** Tests and suites that do not load, each with the beginning of why. */
function failedTests(root, result) {
  return result.testResults.flatMap(({ name, status, message, assertionResults }) => {
    const path = relative(root, name);
    const failed = assertionResults.filter((assertion) => assertion.status === 'failed');
    return failed.length > 0 || status !== 'failed'
      ? failed.map(({ fullName, failureMessages }) => `${path}: ${fullName}${whyIn(failureMessages[0])}`)
      : [`${path}: does not load${whyIn(message)}`];
  });
}

/** The first lines of a message below the line that they explain: a log may hold only a run's end. */
function whyIn(message = '') {
  const lines = stripVTControlCharacters(message)
    .split('\n')
    .filter((line) => line.trim() !== '');
  return lines
    .slice(0, 6)
    .map((line) => `\n      ${line.slice(0, 200)}`)
    .join('');
}

/**
 * Prints what all results cost, what ran twice or not at all, what failed, and the counts as the last line.
 * Returns whether all passed.
 */
export function printSummary(results) {
  const all = (member) => results.flatMap((result) => result[member]);
  const sum = (count) => results.reduce((total, result) => total + result[count], 0);
  printCosts(results);
  const notDue = all('notDue');
  if (notDue.length > 0) {
    console.log(
      `\nNot due, since nothing they depend on changed since they passed (${notDue.length} files):`,
    );
    console.log(`  ${notDue.join(', ')}`);
  }
  const secondTries = all('secondTries');
  for (const { path, firstOutput, secondOutput } of secondTries) {
    console.log(
      `\n${path} failed, and passed when it ran once more, alone. First:\n${firstOutput}\nThen: ${secondOutput}`,
    );
  }
  const failures = all('failures');
  if (secondTries.length > mostSecondTries) {
    failures.push(`${secondTries.length} files needed a second try; ${mostSecondTries} may`);
  }
  if (failures.length > 0) {
    console.log('\nWhat failed:');
    for (const failure of failures) {
      console.log(`  ${failure}`);
    }
  }
  const unnamed = failures.length > 0 && sum('failed') === 0 ? failures.length : 0;
  console.log(`\n${sum('passed')} passed, ${sum('failed') + unnamed} failed, ${sum('skipped')} skipped`);
  return failures.length === 0 && sum('failed') === 0;
}
