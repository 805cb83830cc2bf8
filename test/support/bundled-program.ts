/**
 * A program of the sources in one file: started from the sources, each process would
 * compile all that it imports.
 */
import { mkdirSync, renameSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import { bundleForNode } from './esbuild.ts';

const directory = resolve('.cache/test/programs');
/** Programs of worker threads, which the code that starts them expects beside itself. */
const threads = ['lib/patterns/pattern-thread.mjs'];
const bundled = new Map<string, string>();

/**
 * Bundles a program, given by its path, once per test file; returns the path of the file that Node
 * runs. Packages stay outside.
 */
export function bundledProgram(source: string): string {
  for (const thread of threads) {
    bundle(thread, basename(thread));
  }
  return bundle(source, `${relative('.', source).replaceAll('/', '-')}.js`);
}

function bundle(source: string, name: string): string {
  const known = bundled.get(source);
  if (known !== undefined) {
    return known;
  }
  const file = join(directory, name);
  const unfinished = `${file}.${process.pid}`;
  mkdirSync(directory, { recursive: true });
  bundleForNode([source, '--packages=external', `--outfile=${unfinished}`]);
  // In one step: another test file may start its own at the same moment.
  renameSync(unfinished, file);
  bundled.set(source, file);
  return file;
}
