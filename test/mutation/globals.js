/**
 * Stands for Jest while mutants run: the same `expect`, and as much of the rest as the gate's tests use. It
 * stops at the first test that fails, and starts in a fraction of Jest's time, a thousand times over.
 */
import { format } from 'node:util';

export { expect } from 'expect';

const tests = [];

export function describe(_name, collect) {
  collect();
}

export function it(name, run) {
  tests.push({ name, run });
}

const each = (define) => (rows) => (name, run) => {
  for (const row of rows) {
    const values = Array.isArray(row) ? row : [row];
    define(format(name, ...values), () => run(...values));
  }
};
describe.each = each(describe);
it.each = each(it);

/**
 * Runs all tests in their order. Exits with 1 at the first that fails, with 2 when there are none,
 * with 3 when one never ends.
 */
export async function runTests() {
  // Node ends by itself when nothing is left to wait for, whatever promise is open.
  process.exitCode = 3;
  for (const { name, run } of tests) {
    try {
      await run();
    } catch (error) {
      process.stderr.write(`${name}\n${error.stack}\n`);
      process.exit(1);
    }
  }
  process.exit(tests.length > 0 ? 0 : 2);
}
