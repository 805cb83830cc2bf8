import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { AgentConfig } from '../../contract/agent-contract.ts';
import { agentConfigFile } from '../session-paths.ts';

/**
 * Writes what the agent reads first (design 9), in one step. It is there before the agent's socket is, and that is what the
 * agent's container waits for. Its group may read it: that is how the agent's user does.
 */
export async function writeAgentConfig(config: AgentConfig): Promise<void> {
  const path = agentConfigFile();
  await mkdir(dirname(path), { recursive: true, mode: 0o750 });
  await writeFile(`${path}.new`, JSON.stringify(config, null, 2), { mode: 0o640 });
  await rename(`${path}.new`, path);
}
