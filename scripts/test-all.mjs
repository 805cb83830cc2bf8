/**
 * `npm run test:all`, the long mode: every file with the largest counts and random seeds, and the unit tests
 * in jest's own runner as a control.
 */
import { fileURLToPath } from 'node:url';
import { runShown } from './test/child.mjs';
import { notePassed } from './test/last-passed.mjs';
import { printSummary, readResult } from './test/results.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const long = { TEST_MODE: 'long', DOCKER_TESTS: 'all' };
const runs = [
  { selection: 'all', variables: long },
  { selection: 'cluster', variables: long },
  { selection: 'unit', variables: { TEST_RUNNER: 'jest' } },
];

let allPassed = true;
for (const { selection, variables } of runs) {
  const passed = await runShown(`npm test -- ${selection}`, ['scripts/test.mjs', selection], root, variables);
  allPassed &&= passed;
}
const isWell = printSummary(runs.map(({ selection }) => readResult(root, selection)));
if (allPassed && isWell) {
  await notePassed(root, process.env, 'long-mode');
}
process.exitCode = allPassed && isWell ? 0 : 1;
