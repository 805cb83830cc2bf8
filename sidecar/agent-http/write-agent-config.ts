import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { AgentConfig } from '../../contract/agent-contract.ts';
import { agentConfigFile } from '../../contract/session-paths.ts';

/**
 * Writes the agent's configuration atomically. It exists before the agent's socket does, which is what the
 * agent's container waits for. Group-readable, which gives the agent's user access.
 */
export async function writeAgentConfig(config: AgentConfig): Promise<void> {
  const path = agentConfigFile();
  await mkdir(dirname(path), { recursive: true, mode: 0o750 });
  await writeFile(`${path}.new`, JSON.stringify(config, null, 2), { mode: 0o640 });
  await rename(`${path}.new`, path);
}
