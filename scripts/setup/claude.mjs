/**
 * What the agent `claude` loads: some 400 MB, most of it one native program, so it is
 * apart from the main install.
 */
import { join } from 'node:path';
import { installDependencies } from './dependencies.mjs';
import { SetupError } from './progress.mjs';
import { writeWhole } from './write-whole.mjs';

/** For tests it also writes .cache/claude.json: the folder, or null where it is unavailable. */
export async function provideClaude(root, environment, { forTests }) {
  const directory = join(root, 'agents/claude');
  const list = (found) =>
    forTests && writeWhole(join(root, '.cache/claude.json'), JSON.stringify(found ? directory : null));
  try {
    const done = await installDependencies(directory);
    list(true);
    return done;
  } catch (error) {
    if (!forTests || environment.CI) {
      throw new SetupError(`The package of the agent claude was not installed: ${error.message}`);
    }
    list(false);
    return `left out (${error.message.split('\n')[0]})`;
  }
}
