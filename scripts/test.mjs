/**
 * `npm test`: prepares what the tests need, runs them, and reports their results.
 * `npm test -- --help` says how to run a part.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { selections } from '../test/plan.mjs';
import { processorMs } from '../test/runner/processor-time.mjs';
import { reportFileOf } from '../test/runner/report.mjs';
import { filesOf, tierOf, tiers } from '../test/tiers.mjs';
import { describeMissingPrograms } from './setup/system-packages.mjs';
import { writeWhole } from './setup/write-whole.mjs';
import { startChecks } from './test/checks.mjs';
import { runCaptured, runShown } from './test/child.mjs';
import { grownCosts } from './test/costs.mjs';
import { machineFactor } from './test/machine-factor.mjs';
import { forgetResult, keepResult, nothing, printSummary, resultOf } from './test/results.mjs';
import { noteSecondTries } from './test/second-tries.mjs';

const usage = `Usage: npm test [-- [SELECTION ...] [PATTERN ...] [jest options]]

  npm test                         the quick tests: what to run before each commit; with format, lint and types beside them
  npm test -- --changed            the files that what you changed can affect, with replay and the rules of the code base
  npm test -- --changed=main       the same for all changes since a commit or branch
  npm test -- unit                 one tier: TIERS
  npm test -- test/unit/api        the test files whose paths match, whatever their tier
  npm test -- unit -t 'a grant'    the tests whose names match
  npm test -- rest                 what CI runs beside the quick tests
  npm run test:all                 the long mode: every file, with the largest counts and random seeds (CONTRIBUTING.md)

Each prepares what its tiers need, and nothing else. test/plan.mjs says which files are in which selection, test/tiers.mjs in which tier.
TEST_MODE=quick, full or long sets how much is tried at random.
`;

const root = fileURLToPath(new URL('..', import.meta.url));
/** What the set-up could not provide, and why. */
const leftOutFile = join(root, '.cache/left-out.json');
const resultFile = join(root, '.cache/test-result.json');
const filesFile = join(root, '.cache/test-files.json');
const jest = [
  '--experimental-vm-modules',
  '--disable-warning=ExperimentalWarning',
  'node_modules/jest/bin/jest.js',
];

/** The factor of a machine below which processors idle while files wait; 42 % of the time at 0.3. */
const quickFactor = 0.6;
const quickMachineProcesses = Math.min(availableParallelism() + 2, 4);

const words = process.argv.slice(2);
const named = words.filter((word) => isSelection(word));
const jestArguments = words.filter((word) => !isSelection(word));
/** Where the result of a whole selection is kept; null for a run of single files. */
const resultName = jestArguments.length > 0 ? null : named.join('-') || 'quick';

if (words.includes('--help')) {
  console.log(usage.replace('TIERS', Object.keys(tiers).join(', ')));
} else {
  await runTests();
}

function isSelection(word) {
  return Object.hasOwn(tiers, word) || Object.hasOwn(selections, word) || isOfChange(word);
}

function isOfChange(word) {
  return /^--changed(=|$)/.test(word);
}

async function runTests() {
  const startedAt = Date.now();
  if (resultName !== null) {
    forgetResult(root, resultName);
  }
  // These lists are made with packages; the others need none, so that everything is set up at once.
  const needsPackages = jestArguments.length > 0 || named.some(isOfChange);
  const files = !needsPackages || (await setUp(['unit'])) ? await selectedFiles() : null;
  if (files?.length === 0) {
    console.log('No test file matches.');
    process.exitCode = 1;
    return;
  }
  if (files === null || !(await setUp([...new Set(files.map(tierOf))]))) {
    process.exitCode = 1;
    printSummary([{ ...nothing, failed: 1, failures: ['the set-up'] }]);
    return;
  }
  const notDue = await filesNotDue(files);
  const factor = resultName === null ? null : machineFactor();
  if (factor !== null) {
    console.log(
      `A fixed loop takes ${factor.toFixed(1)} times as long here as on the machine that the times in CONTRIBUTING.md are for.`,
    );
  }
  const checks = words.length === 0 || named.includes('all') ? startChecks(root, process.env) : [];
  const { passed, result } = await runJest(
    files.filter((file) => !notDue.includes(file)),
    factor,
  );
  const checked = await Promise.all(checks);
  await report({ passed, result, checked, notDue, seconds: (Date.now() - startedAt) / 1000 });
}

function setUp(names) {
  return runShown('The set-up', ['scripts/setup.mjs', '--tiers', names.join(',')], root);
}

async function selectedFiles() {
  if (jestArguments.length > 0) {
    return await matchingFiles();
  }
  const chosen = await Promise.all((named.length > 0 ? named : ['quick']).map(filesOfSelection));
  return [...new Set(chosen.flat())];
}

/**
 * Those of a selection of CI that nothing they depend on has changed for, what the set-up
 * has just built among it.
 */
async function filesNotDue(files) {
  if (jestArguments.length > 0 || !(named.includes('rest') || named.includes('cluster'))) {
    return [];
  }
  const due = await import('./test/due.mjs');
  return await due.filesNotDue(root, files, process.env);
}

async function filesOfSelection(name) {
  if (Object.hasOwn(tiers, name)) {
    return filesOf(name);
  }
  if (Object.hasOwn(selections, name)) {
    return selections[name]();
  }
  const { affectedFiles } = await import('./test/changed.mjs');
  return affectedFiles(root, name.split('=')[1] ?? 'HEAD');
}

async function matchingFiles() {
  const projects = named.filter((name) => Object.hasOwn(tiers, name));
  const listed = await runCaptured(
    [
      ...jest,
      '--listTests',
      ...(projects.length > 0 ? ['--selectProjects', ...projects, '--'] : []),
      ...jestArguments,
    ],
    root,
  );
  return listed.output
    .split('\n')
    .filter((line) => line.startsWith(root))
    .map((file) => relative(root, file));
}

async function runJest(files, factor) {
  rmSync(resultFile, { force: true });
  rmSync(reportFileOf(root), { force: true });
  const chosen =
    jestArguments.length > 0 ? [...jestArguments, '--selectProjects', ...new Set(files.map(tierOf))] : [];
  writeWhole(filesFile, JSON.stringify(files));
  // One more than jest.config.js says: the quicker a machine is, the more of its time the files only wait.
  const more = factor !== null && factor < quickFactor ? [`--maxWorkers=${quickMachineProcesses}`] : [];
  const passed = await runShown(
    'jest',
    [...jest, '--forceExit', '--json', `--outputFile=${resultFile}`, ...more, ...chosen],
    root,
    { TEST_FILES: filesFile },
  );
  return { passed, result: existsSync(resultFile) ? JSON.parse(readFileSync(resultFile, 'utf8')) : null };
}

async function report({ passed, result, checked, notDue, seconds }) {
  const entries = existsSync(reportFileOf(root)) ? JSON.parse(readFileSync(reportFileOf(root), 'utf8')) : [];
  const totals = { ...resultOf(root, result, entries, checked), notDue, seconds, processorMs: processorMs() };
  if (result) {
    reportLeftOut(result);
  }
  const isIncomplete = Boolean(process.env.CI) && totals.skipped > 0;
  if (isIncomplete) {
    console.error('\nCI leaves no test out, and some were.');
  }
  if (resultName === 'quick' && (process.env.TEST_MODE ?? 'quick') === 'quick') {
    totals.failures.push(...grownCosts('quick', totals.costs));
  }
  if (resultName !== null) {
    totals.failures.push(...noteSecondTries(process.env, resultName, totals.secondTries));
    keepResult(root, resultName, totals);
  }
  process.exitCode = passed && totals.failures.length === 0 && !isIncomplete ? 0 : 1;
  printSummary([totals]);
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
