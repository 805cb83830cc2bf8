/** Finds the program of the loaded packages to run. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { packagesInside } from '../tree-stream.ts';
import { pythonEnvironment } from './install.ts';
import type { FillOrder } from './order.ts';

/** A path below the packages. Throws with a sentence when there is none. */
export function findProgram(order: FillOrder): string {
  const directory = order.manager === 'npm' ? 'node_modules/.bin' : `${pythonEnvironment}/bin`;
  const name = order.program ?? programOfNpmPackage(order.packages[0] ?? '');
  const found = join(directory, name);
  if (!existsSync(join(packagesInside, found))) {
    throw new Error(`the packages have no program "${name}"`);
  }
  return found;
}

const packageFile = z.object({
  bin: z.union([z.string(), z.record(z.string(), z.string())]).optional(),
});

/** Chosen as `npx` does: the only one, all names for one file, or the one named like the package. */
function programOfNpmPackage(spec: string): string {
  const name = spec.replace(/(?<=.)@[^/]*$/, '');
  const own = name.split('/').at(-1) ?? '';
  const text = readFileSync(join(packagesInside, 'node_modules', name, 'package.json'), 'utf8');
  const { bin = {} } = packageFile.parse(JSON.parse(text));
  const programs = typeof bin === 'string' ? { [own]: bin } : bin;
  const [first] = Object.keys(programs);
  if (first !== undefined && new Set(Object.values(programs)).size === 1) {
    return first;
  }
  if (programs[own] === undefined) {
    throw new Error(`the package ${name} has no program of its own name, or none at all; name one with -p`);
  }
  return own;
}
