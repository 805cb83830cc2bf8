/**
 * `npm test`: format and lint, types, then every test; with arguments, only the tests that jest finds for them.
 * The last line is the count, alone on its line; the checks before the tests count as one each.
 */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describeMissingPrograms } from './setup/system-packages.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
/** What the set-up could not provide, and why. */
const leftOutFile = join(root, '.cache/left-out.json');
const resultFile = join(root, '.cache/test-result.json');
const jestArguments = process.argv.slice(2);

function run(name, args) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { cwd: root, stdio: 'inherit' });
    // Ctrl-C goes to the whole terminal group; the child ends in order, and we after it.
    process.once('SIGINT', () => undefined);
    child.once('close', (code, signal) => {
      if (code !== 0) {
        console.error(`\n${name} failed${signal ? ` (${signal})` : ''}.\n`);
      }
      resolve(code === 0);
    });
  });
}

async function runJest() {
  rmSync(resultFile, { force: true });
  const passed = await run('jest', [
    '--experimental-vm-modules',
    '--disable-warning=ExperimentalWarning',
    'node_modules/jest/bin/jest.js',
    '--forceExit',
    '--json',
    `--outputFile=${resultFile}`,
    ...jestArguments,
  ]);
  return { passed, result: existsSync(resultFile) ? JSON.parse(readFileSync(resultFile, 'utf8')) : null };
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

const checks =
  jestArguments.length > 0
    ? []
    : [
        await run('Format and lint', ['node_modules/@biomejs/biome/bin/biome', 'check', '.']),
        await run('Type check', ['node_modules/typescript/bin/tsc', '-p', '.']),
        await run('Type check of the web UI', ['node_modules/typescript/bin/tsc', '-p', 'web']),
      ];
const { passed, result } = await runJest();
const count = (outcome) => checks.filter((check) => check === outcome).length;
const totals = {
  passed: count(true) + (result?.numPassedTests ?? 0),
  // A suite that does not even load has no tests to count, and is a failure all the same.
  failed: count(false) + (result ? result.numFailedTests + result.numRuntimeErrorTestSuites : 1),
  skipped: (result?.numPendingTests ?? 0) + (result?.numTodoTests ?? 0),
};
if (result) {
  reportLeftOut(result);
}
const incomplete = Boolean(process.env.CI) && totals.skipped > 0;
if (incomplete) {
  console.error('\nCI leaves no test out, and some were.');
}
process.exitCode = passed && totals.failed === 0 && !incomplete ? 0 : 1;
console.log(`\n${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`);
