/** Which tests of sandboxes can run here. CI leaves none out (scripts/test.mjs). */
import { spawnSync } from 'node:child_process';
import { describe } from '@jest/globals';

const isInstalled = (program: string) => spawnSync(program, ['--version']).error === undefined;

/**
 * `describe` where every program is installed; elsewhere the tests are skipped, and the
 * end of the run names them.
 */
export function describeWith(
  ...programs: ('bwrap' | 'slirp4netns' | 'python3')[]
): typeof describe | typeof describe.skip {
  return programs.every(isInstalled) ? describe : describe.skip;
}
