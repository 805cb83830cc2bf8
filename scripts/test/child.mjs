/** Child processes of a test run: Node programs, started at the project's root. */
import { spawn } from 'node:child_process';
import { setPriority } from 'node:os';

/**
 * Shows what it prints. Resolves to whether it succeeded, and says so where it did not. `variables` are
 * added to the environment.
 */
export function runShown(name, args, root, variables = {}) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, {
      cwd: root,
      stdio: 'inherit',
      env: { ...process.env, ...variables },
    });
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

/** Resolves to its exit code (null where a signal ended it) and everything that it printed. */
export function runCaptured(args, root, { nice = 0 } = {}) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    if (nice > 0 && child.pid !== undefined) {
      setPriority(child.pid, nice);
    }
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        output += chunk;
      });
    }
    child.once('close', (code) => resolve({ code, output }));
  });
}
