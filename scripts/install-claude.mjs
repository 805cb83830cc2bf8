/**
 * Installs what the agent `claude` loads beside the platform's own code, for sessions that run as processes
 * of this machine. The package has a licence of its own, so nothing installs it unasked
 * (docs/bring-your-own-agent.md#the-built-in-agent-claude). Does nothing when it is there.
 */
import { fileURLToPath } from 'node:url';
import { provideClaude } from './setup/claude.mjs';
import { installAgent } from './setup/install-agent.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const provide = () => provideClaude(root, process.env, { forTests: false });
await installAgent(root, { name: 'Package of the agent claude', soughtAtStart: 'the package', provide });
