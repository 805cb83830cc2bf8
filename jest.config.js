import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { filesOf, tiers } from './test/tiers.mjs';

/** Those that `npm test` chose, as paths from here; all where it chose none. */
const chosen = process.env.TEST_FILES
  ? new Set(JSON.parse(readFileSync(process.env.TEST_FILES, 'utf8')))
  : null;
const chosenFilesOf = (tier) => filesOf(tier).filter((path) => chosen === null || chosen.has(path));

// No test waits for this: it ends what hangs, also on a machine that is many times slower.
const testTimeout = 300_000;

/** Tests run as ES modules, straight from the TypeScript sources. */
const project = {
  ...(process.env.TEST_RUNNER === 'jest' ? {} : { runner: '<rootDir>/test/runner/index.mjs' }),
  testEnvironment: '<rootDir>/test/support/environment.mjs',
  extensionsToTreatAsEsm: ['.ts'],
  injectGlobals: false,
  transform: {
    '\\.ts$': [
      '@swc/jest',
      {
        jsc: { target: 'es2023', parser: { syntax: 'typescript' } },
        module: { type: 'es6' },
        sourceMaps: 'inline',
      },
    ],
  },
  modulePathIgnorePatterns: [
    '<rootDir>/dist/',
    '<rootDir>/deploy/runner/',
    '<rootDir>/\\.data/',
    '<rootDir>/\\.cache/',
  ],
  cacheDirectory: '<rootDir>/node_modules/.cache/jest',
  testTimeout,
};
const services = {
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
};

/** One project for each tier. */
export default {
  projects: Object.keys(tiers)
    .filter((name) => chosenFilesOf(name).length > 0)
    .map((name) => ({
      ...project,
      ...(name === 'unit' ? {} : services),
      displayName: name,
      testMatch: chosenFilesOf(name).map((path) => `<rootDir>/${path}`),
    })),
  testSequencer: '<rootDir>/test/support/sequencer.mjs',
  testTimeout,
  // The long tests mostly wait, for processes and pages: one more than there are processors keeps those busy.
  maxWorkers: Math.min(availableParallelism() + 1, 4),
};
