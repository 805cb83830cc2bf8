/** `npm run test:mutation`: mutates the gate and runs its tests on each mutant; fails below the threshold. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installDependencies } from './setup/dependencies.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const commands = (directory) => join(root, directory, 'node_modules/.bin');

await installDependencies(join(root, 'test/mutation'));
// The tester needs a later Node than the product does; the conformance scenarios brought one.
const { status } = spawnSync(
  join(commands('test/conformance/runner'), 'node'),
  [
    join(commands('test/mutation'), 'stryker'),
    'run',
    'test/mutation/stryker.config.js',
    ...process.argv.slice(2),
  ],
  // As many values for each property as in CI: the score must not depend on who asks for it.
  { cwd: root, stdio: 'inherit', env: { ...process.env, TEST_MODE: 'full' } },
);
process.exitCode = status ?? 1;
