/**
 * What a run of the tests consists of. `npm test` runs the quick files, CI these and the rest, and
 * `npm run test:all` the files of test/long-mode.md, too. Which tier a file is in (test/tiers.mjs) says what
 * it needs, and nothing of when it runs.
 */
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { randomlySeededTests } from './random-seeds.mjs';
import { measuringFiles, ownProcessFiles } from './run-alone.mjs';
import { testFiles, tierOf } from './tiers.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const isIn = (list) => (path) => list.some((prefix) => path.startsWith(prefix));

/** Whole tiers of `npm test`. */
const quickTiers = ['unit', 'services'];
/** Of those tiers, what takes long and changes seldom. */
const notQuick = ['test/fuzz/', 'test/conformance/'];
/** Of the other tiers, the ways that every change could break. */
const quickPlatform = [
  'test/end-to-end/main-loop.test.ts',
  'test/end-to-end/walk-through.test.ts',
  'test/browser/approvals.test.ts',
  'test/browser/exact-approval.test.ts',
  'test/browser/sessions.test.ts',
  'test/browser/secrets.test.ts',
  'test/hostile/hostile-agent.test.ts',
];

/** The files that take longest and prove what another file proves, too: path, reason and the other file. */
export function longMode(text = readFileSync(join(root, 'test/long-mode.md'), 'utf8')) {
  const rows = text.matchAll(/^\| `(?<path>[^`]+)` \| (?<reason>[^|]+) \| `(?<provedBy>[^`]+)` \|$/gm);
  return [...rows].map(({ groups }) => ({ ...groups, reason: groups.reason.trim() }));
}

/** The test files of a named selection, as paths from the project's root. */
export const selections = {
  quick: () =>
    testFiles().filter(
      (path) =>
        !isLong(path) &&
        ((quickTiers.includes(tierOf(path)) && !isIn(notQuick)(path)) || isIn(quickPlatform)(path)),
    ),
  /** Without those on Kubernetes, whose nodes want this machine's processors for themselves. */
  rest: () => {
    const quick = new Set(selections.quick());
    return testFiles().filter((path) => !isLong(path) && !quick.has(path) && tierOf(path) !== 'cluster');
  },
  random: () => randomlySeededTests,
  all: () => testFiles().filter((path) => tierOf(path) !== 'cluster'),
};

const longPaths = new Set(longMode().map(({ path }) => path));
const isLong = (path) => longPaths.has(path);

/**
 * Where a file runs. Each but the shared ones has a process of its own; those that measure
 * run last, one at a time.
 */
export const placements = { shared: 'shared', ownProcess: 'own process', alone: 'alone' };

export function placementOf(file) {
  const path = relative(root, file);
  if (Object.hasOwn(measuringFiles, path)) {
    return placements.alone;
  }
  return Object.hasOwn(ownProcessFiles, path) ? placements.ownProcess : placements.shared;
}

/**
 * Where one failure of many tries is the finding, or a wait that ran out is: these never get a second try.
 */
const neverTwice =
  /test\/(hostile|fuzz|conformance)\/|[/-](audit|isolation|hostile|revocation)\b|grant-(history|invariants)|forwarding-history|secret-search|acp-agents/;

/** Whether a file that failed may run once more, at the end and alone. Property tests may not. */
export function mayRunTwice(file) {
  const path = relative(root, file);
  return (
    !neverTwice.test(path) &&
    !/from '[^']*\/support\/property\.ts'|from 'fast-check'/.test(readFileSync(file, 'utf8'))
  );
}
