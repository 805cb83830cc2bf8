/**
 * The scripted agent as a program: its instructions are in the file that PLATFORM_CONFIG names
 * (docs/agent-contract.md).
 */
import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { runScriptedAgent } from '../agents/scripted/run-scripted-agent.ts';
import { parseEnvironment } from '../config/parse.ts';
import { agentConfig } from '../contract/agent-contract.ts';
import { agentPaths } from '../contract/agent-paths.ts';
import { describeError } from '../contract/sentences.ts';

const environment = z.object({
  PLATFORM_CONFIG: z.string().default(agentPaths.config),
  PLATFORM_SIDECAR_SOCKET: z.string().default(agentPaths.sidecarSocket),
});

try {
  const { PLATFORM_CONFIG, PLATFORM_SIDECAR_SOCKET } = parseEnvironment(environment, process.env);
  const config = agentConfig.parse(JSON.parse(await readFile(PLATFORM_CONFIG, 'utf8')));
  process.exit(await runScriptedAgent(config, PLATFORM_SIDECAR_SOCKET));
} catch (error) {
  process.stderr.write(`scripted agent: ${describeError(error)}\n`);
  process.exit(1);
}
