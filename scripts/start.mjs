/**
 * `npm start`: the set-up, then the platform, in one process that npm's own signals reach (package.json runs
 * it with `exec`). Plain JavaScript without dependencies: it runs before node_modules exists, and prints its
 * usage without any set-up.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const pathOf = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const usage = readFileSync(pathOf('start-usage.txt'), 'utf8');
const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Returns its exit code. Forwards stop signals and waits, so that nothing of the set-up is left behind. */
async function setUp() {
  const child = spawn(process.execPath, [pathOf('setup.mjs')], { stdio: 'inherit' });
  let stopped = false;
  const handlers = stopSignals.map((signal) => {
    const handler = () => {
      stopped = true;
      child.kill(signal);
    };
    process.on(signal, handler);
    return () => process.off(signal, handler);
  });
  const [code, signal] = await once(child, 'exit');
  for (const remove of handlers) {
    remove();
  }
  return stopped || signal !== null ? 130 : code;
}

const [argument] = process.argv.slice(2);
if (argument === '--help' || argument === '-h') {
  console.log(usage);
} else if (argument !== undefined) {
  console.error(`npm start takes no argument "${argument}"; settings are environment variables.\n\n${usage}`);
  process.exitCode = 2;
} else {
  process.exitCode = await setUp();
  if (process.exitCode === 0) {
    await import('../dist/start.js');
  }
}
