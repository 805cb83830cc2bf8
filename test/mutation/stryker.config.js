/**
 * Changes the gate in every small way, and runs its tests on each change: too many that no test notices fail.
 */
export default {
  packageManager: 'npm',
  testRunner: 'command',
  buildCommand: `${process.execPath} test/mutation/bundle.js`,
  commandRunner: { command: `${process.execPath} gate-tests.cjs` },
  mutate: ['sidecar/gate/*.ts', 'sidecar/json-rpc/*.ts'],
  // The sandbox is a copy of the code, its tests, and what both import.
  ignorePatterns: [
    '**',
    '!contract/**/*.ts',
    '!contract/**/*.mjs',
    '!lib/**/*.ts',
    '!sidecar/**/*.ts',
    '!test/corpus/**/*.ts',
    '!test/fuzz/**/*.ts',
    '!test/mutation/*.js',
    '!test/support/*.ts',
    '!test/unit/sidecar/**/*.ts',
    '!package.json',
  ],
  tempDirName: '.cache/mutation',
  concurrency: 2,
  timeoutMS: 20_000,
  reporters: ['clear-text', 'progress-append-only', 'json'],
  jsonReporter: { fileName: '.cache/mutation.json' },
  clearTextReporter: { allowColor: false, reportTests: false, logTests: false },
  incrementalFile: '.cache/mutation-incremental.json',
  thresholds: { high: 95, low: 90, break: 90 },
};
