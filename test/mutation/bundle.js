/**
 * Makes one program of the gate and its fast tests, in the sandbox where the gate is full
 * of mutants to switch on.
 */
import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** Slow for what they could notice: they start other languages' parsers, and measure. */
const leftOut = ['other-readers', 'parse-line-cost', 'parse-in-turns-cost'];
const tests = globSync('test/unit/sidecar/{gate,json-rpc}/*.test.ts', { cwd: root })
  .filter((path) => !leftOut.some((name) => path.includes(name)))
  .toSorted();
const globals = './test/mutation/globals.js';

await build({
  stdin: {
    contents: [
      ...tests.map((path) => `import './${path}';`),
      `import { runTests } from '${globals}';`,
      'runTests();',
    ].join('\n'),
    resolveDir: root,
  },
  alias: { '@jest/globals': globals },
  bundle: true,
  platform: 'node',
  format: 'cjs',
  outfile: `${root}/gate-tests.cjs`,
  logLevel: 'error',
});
