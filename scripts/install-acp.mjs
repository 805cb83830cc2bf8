/**
 * Installs an agent that the agent `acp` can start, for sessions that run as processes of this machine.
 * Does nothing when it is there.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { acpAgents, provideAcpAgent } from './setup/acp.mjs';
import { withLock } from './setup/lock.mjs';
import { SetupError, step } from './setup/progress.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const known = acpAgents(root);
const [name] = process.argv.slice(2);

async function install() {
  let done;
  mkdirSync(join(root, '.cache'), { recursive: true });
  await withLock(join(root, '.cache/setup.lock'), () =>
    step(`Agent ${name}`, async () => {
      done = await provideAcpAgent(root, name);
      return done;
    }),
  );
  console.log(
    done === undefined
      ? 'It is installed.'
      : 'Restart the platform: its worker looks for agents when it starts.',
  );
}

if (known.includes(name)) {
  try {
    await install();
  } catch (error) {
    if (!(error instanceof SetupError)) {
      throw error;
    }
    console.error(`\n${error.message}`);
    process.exitCode = 1;
  }
} else {
  console.error(`Usage: npm run acp:install -- ${known.join('|')}`);
  process.exitCode = 2;
}
