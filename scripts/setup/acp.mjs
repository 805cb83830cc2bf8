/**
 * Agents that the agent `acp` can start. Some have a licence of their own, so nothing installs one unasked
 * (docs/bring-your-own-agent.md#an-agent-that-speaks-acp).
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { installDependencies } from './dependencies.mjs';
import { SetupError } from './progress.mjs';

const folderOf = (root) => join(root, 'agents/acp/packages');

export const acpAgents = (root) => readdirSync(folderOf(root));

/** Returns what it did; nothing where the agent was there. */
export async function provideAcpAgent(root, name) {
  try {
    return await installDependencies(join(folderOf(root), name));
  } catch (error) {
    throw new SetupError(`The agent ${name} was not installed: ${error.message}`);
  }
}

/** All of them, one after the other, for tests, which are left out where one cannot be had. */
export async function provideAcpAgents(root, environment) {
  try {
    const done = [];
    for (const name of acpAgents(root)) {
      done.push(await provideAcpAgent(root, name));
    }
    return done.find((each) => each !== undefined);
  } catch (error) {
    if (environment.CI) {
      throw error;
    }
    return `left out (${error.message.split('\n')[0]})`;
  }
}
