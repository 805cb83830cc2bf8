import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';

/**
 * Bundles programs for Node, by esbuild's CLI: its library does not work in jest's realm. `args`: what to
 * bundle, where to, and other options.
 */
export function bundleForNode(args: readonly string[]): void {
  execFileSync(resolve('node_modules/esbuild/bin/esbuild'), [
    ...args,
    '--bundle',
    '--platform=node',
    '--format=esm',
    '--target=node20',
    '--log-level=error',
  ]);
}
