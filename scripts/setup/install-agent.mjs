/** What the commands that install an agent share: the lock of the set-up, and what they say in the end. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { withLock } from './lock.mjs';
import { SetupError, step } from './progress.mjs';

/**
 * `provide` resolves to what it did, or to nothing where all of it was there; `soughtAtStart` is what a
 * worker looks for. Sets the exit code 1 where the set-up is refused.
 */
export async function installAgent(root, { name, soughtAtStart, provide }) {
  let done;
  mkdirSync(join(root, '.cache'), { recursive: true });
  try {
    await withLock(join(root, '.cache/setup.lock'), () =>
      step(name, async () => {
        done = await provide();
        return done;
      }),
    );
  } catch (error) {
    if (!(error instanceof SetupError)) {
      throw error;
    }
    console.error(`\n${error.message}`);
    process.exitCode = 1;
    return;
  }
  console.log(
    done === undefined
      ? 'It is installed.'
      : `Restart the platform: its worker looks for ${soughtAtStart} when it starts.`,
  );
}
