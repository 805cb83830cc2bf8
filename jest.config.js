import { availableParallelism } from 'node:os';

/** Tests run as ES modules, straight from the TypeScript sources. */
export default {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
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
    '<rootDir>/runner/',
    '<rootDir>/\\.data/',
    '<rootDir>/\\.cache/',
  ],
  cacheDirectory: '<rootDir>/node_modules/.cache/jest',
  testSequencer: '<rootDir>/test/support/sequencer.mjs',
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  // No test waits for this: it ends what hangs, also on a machine that is many times slower.
  testTimeout: 300_000,
  // The long tests mostly wait, for processes and pages: one more than there are processors keeps those busy.
  maxWorkers: Math.min(availableParallelism() + 1, 4),
};
