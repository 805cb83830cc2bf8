/** `npm test`: prepares what the tests need, runs them, and reports their results. `npm test -- --help` says how to run a part. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defaultTiers, tierOf, tiers } from '../test/tiers.mjs';
import { describeMissingPrograms } from './setup/system-packages.mjs';
import { startChecks } from './test/checks.mjs';
import { runCaptured, runShown } from './test/child.mjs';
import { forgetResult, keepResult, printSummary } from './test/results.mjs';

const usage = `Usage: npm test [-- [TIER ...] [PATTERN ...] [jest options]]

  npm test                         ${defaultTiers.join(', ')}; with format, lint and types beside them
  npm test -- unit                 one tier: ${Object.keys(tiers).join(', ')}
  npm test -- test/unit/api        the test files whose paths match, whatever their tier
  npm test -- unit -t 'a grant'    the tests whose names match

Each prepares what its tiers need, and nothing else. test/tiers.mjs says which files are in which tier.
`;

const root = fileURLToPath(new URL('..', import.meta.url));
/** What the set-up could not provide, and why. */
const leftOutFile = join(root, '.cache/left-out.json');
const resultFile = join(root, '.cache/test-result.json');
const jest = [
  '--experimental-vm-modules',
  '--disable-warning=ExperimentalWarning',
  'node_modules/jest/bin/jest.js',
];

const words = process.argv.slice(2);
const named = words.filter((word) => Object.hasOwn(tiers, word));
const jestArguments = words.filter((word) => !Object.hasOwn(tiers, word));
/** Where the result of whole tiers is kept; null for a run of single files. */
const resultName = jestArguments.length > 0 ? null : named.join('-') || 'default';

if (words.includes('--help')) {
  console.log(usage);
} else {
  await runTests();
}

async function runTests() {
  if (resultName !== null) {
    forgetResult(root, resultName);
  }
  const setUp = (names) => runShown('The set-up', ['scripts/setup.mjs', '--tiers', names.join(',')], root);
  // The packages come first: without them not even the list of matching files can be made.
  const selected = words.length === 0 ? defaultTiers : named;
  const isPrepared = await setUp(selected.length > 0 ? selected : ['unit']);
  const matching = selected.length > 0 ? selected : await tiersOfMatching();
  if (!isPrepared || (selected.length === 0 && !(await setUp(matching)))) {
    process.exitCode = 1;
    printSummary([{ passed: 0, failed: 1, skipped: 0, files: [], failures: ['the set-up'] }]);
    return;
  }
  const checks = words.length === 0 ? startChecks(root, process.env) : [];
  const { passed, result } = await runJest(matching);
  const checked = await Promise.all(checks);
  report(passed, result, checked);
}

async function tiersOfMatching() {
  const listed = await runCaptured([...jest, '--listTests', ...jestArguments], root);
  const files = listed.output.split('\n').filter((line) => line.startsWith(root));
  return [...new Set(files.map((file) => tierOf(relative(root, file))))];
}

async function runJest(selected) {
  rmSync(resultFile, { force: true });
  const passed = await runShown(
    'jest',
    [
      ...jest,
      '--forceExit',
      '--json',
      `--outputFile=${resultFile}`,
      ...jestArguments,
      ...(selected.length > 0 ? ['--selectProjects', ...selected] : []),
    ],
    root,
  );
  return { passed, result: existsSync(resultFile) ? JSON.parse(readFileSync(resultFile, 'utf8')) : null };
}

function report(passed, result, checked) {
  const totals = {
    passed: checked.filter((check) => check).length + (result?.numPassedTests ?? 0),
    // A suite that does not even load has no tests to count, and is a failure all the same.
    failed:
      checked.filter((check) => !check).length +
      (result ? result.numFailedTests + result.numRuntimeErrorTestSuites : 1),
    skipped: (result?.numPendingTests ?? 0) + (result?.numTodoTests ?? 0),
    files: (result?.testResults ?? []).map(({ name, startTime, endTime }) => ({
      path: relative(root, name),
      seconds: (endTime - startTime) / 1000,
    })),
    failures: namesOfFailures(result, checked),
  };
  if (result) {
    reportLeftOut(result);
  }
  const isIncomplete = Boolean(process.env.CI) && totals.skipped > 0;
  if (isIncomplete) {
    console.error('\nCI leaves no test out, and some were.');
  }
  process.exitCode = passed && totals.failed === 0 && !isIncomplete ? 0 : 1;
  if (resultName !== null) {
    keepResult(root, resultName, totals);
  }
  printSummary([totals]);
}

/** What failed, a line each: tests, suites that do not load, and checks. */
function namesOfFailures(result, checked) {
  const tests = (result?.testResults ?? []).flatMap(({ name, status, assertionResults }) => {
    const path = relative(root, name);
    const failed = assertionResults.filter((assertion) => assertion.status === 'failed');
    return failed.length > 0 || status !== 'failed'
      ? failed.map(({ fullName }) => `${path}: ${fullName}`)
      : [`${path}: does not load`];
  });
  const checks = checked.filter((check) => !check).map(() => 'format, lint or types: see above');
  return [...(result ? [] : ['jest: left no result']), ...tests, ...checks];
}

/** Names each test that did not run, and what was missing for them. */
function reportLeftOut(result) {
  const leftOut = result.testResults.flatMap(({ assertionResults }) =>
    assertionResults.filter(({ status }) => status === 'pending' || status === 'todo'),
  );
  if (leftOut.length === 0) {
    return;
  }
  console.log(`\n${leftOut.length} tests were left out:`);
  for (const { fullName } of leftOut) {
    console.log(`  - ${fullName}`);
  }
  for (const line of existsSync(leftOutFile) ? JSON.parse(readFileSync(leftOutFile, 'utf8')) : []) {
    console.log(`  ${line}`);
  }
  for (const line of describeMissingPrograms()) {
    console.log(`  ${line}`);
  }
}
