/**
 * Installs what the agent `claude` loads beside the platform's own code, for sessions that run as processes
 * of this machine. The package has a licence of its own, so nothing installs it unasked
 * (docs/bring-your-own-agent.md#the-built-in-agent-claude). Does nothing when it is there.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { provideClaude } from './setup/claude.mjs';
import { withLock } from './setup/lock.mjs';
import { SetupError, step } from './setup/progress.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
try {
  let done;
  mkdirSync(join(root, '.cache'), { recursive: true });
  await withLock(join(root, '.cache/setup.lock'), () =>
    step('Package of the agent claude', async () => {
      done = await provideClaude(root, process.env, { forTests: false });
      return done;
    }),
  );
  console.log(
    done === undefined
      ? 'It is installed.'
      : 'Restart the platform: its worker looks for the package when it starts.',
  );
} catch (error) {
  if (!(error instanceof SetupError)) {
    throw error;
  }
  console.error(`\n${error.message}`);
  process.exitCode = 1;
}
