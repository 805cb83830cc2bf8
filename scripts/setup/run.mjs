/** Runs a program to its end, quietly: its output is shown only when it fails. */
import { spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { SetupError } from './progress.mjs';

/** Returns its standard output. Throws SetupError with the last lines of output when it fails. */
export function run(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    let stdout = '';
    let both = '';
    child.stdout.on('data', (chunk) => {
      stdout += chunk;
      both += chunk;
    });
    child.stderr.on('data', (chunk) => {
      both += chunk;
    });
    child.once('error', (error) => reject(new SetupError(`${command} could not be run: ${error.message}`)));
    child.once('close', (code, signal) =>
      code === 0
        ? resolve(stdout)
        : reject(
            new SetupError(
              `${[command, ...args].join(' ')} failed${signal ? ` (${signal})` : ''}:\n${tellingLines(both)}`,
            ),
          ),
    );
  });
}

let goBuild = Promise.resolve();

/**
 * Runs the compiler of Go, which works on all processors by itself: one build at a time, however many parts
 * of the set-up ask for one.
 */
export function runGo(args, options) {
  const result = goBuild.then(() => run('go', args, options));
  goBuild = result.catch(() => undefined);
  return result;
}

/** Some programs print the error first, others last. */
function tellingLines(output) {
  const lines = output.trim().split('\n');
  return (lines.length <= 24 ? lines : [...lines.slice(0, 12), '...', ...lines.slice(-10)]).join('\n');
}

/** The full path of a program on the PATH, or null. A program may also be named by its full path. */
export function which(program, path = process.env.PATH ?? '') {
  const candidates = isAbsolute(program)
    ? [program]
    : path.split(delimiter).flatMap((directory) => (directory === '' ? [] : [join(directory, program)]));
  for (const candidate of candidates) {
    try {
      accessSync(candidate, constants.X_OK);
      return candidate;
    } catch {
      // Not here.
    }
  }
  return null;
}
