/**
 * Installs an agent that the agent `acp` can start, for sessions that run as processes of this machine.
 * Does nothing when it is there.
 */
import { fileURLToPath } from 'node:url';
import { acpAgents, provideAcpAgent } from './setup/acp.mjs';
import { installAgent } from './setup/install-agent.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const known = acpAgents(root);
const [name] = process.argv.slice(2);

if (known.includes(name)) {
  const provide = () => provideAcpAgent(root, name);
  await installAgent(root, { name: `Agent ${name}`, soughtAtStart: 'agents', provide });
} else {
  console.error(`Usage: npm run acp:install -- ${known.join('|')}`);
  process.exitCode = 2;
}
