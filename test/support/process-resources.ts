/** What the test files of one process share because it is dear to make. */

const key = Symbol.for('gatepost.process-resources');
// The runner (test/runner) puts the list there, and calls what is in it before the process ends. Jest's own
// runner does not: its files share nothing.
const holder: typeof globalThis & { [key]?: (() => Promise<void>)[] } = globalThis;

/**
 * Says that something is kept until the process ends, which `close` then ends. False where the process keeps
 * nothing: its users end it themselves. While no file uses it, it must not hold the process open: that is how
 * the runner finds what a file left behind.
 */
export function keepForProcess(close: () => Promise<void>): boolean {
  holder[key]?.push(close);
  return holder[key] !== undefined;
}
