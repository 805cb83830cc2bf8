/**
 * The agent `claude` as a program: what it is asked is in the file that PLATFORM_CONFIG names
 * (docs/agent-contract.md).
 */
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { queryOptions } from '../agents/claude/query-options.ts';
import { runClaudeAgent } from '../agents/claude/run-claude-agent.ts';
import { loadSdk } from '../agents/claude/sdk.ts';
import { parseEnvironment } from '../config/parse.ts';
import { agentConfig } from '../contract/agent-contract.ts';
import { agentPaths } from '../contract/agent-paths.ts';
import { describeError } from '../contract/sentences.ts';

const toolNames = z
  .string()
  .regex(/^[A-Za-z]*(,[A-Za-z]+)*$/, 'must be names of tools, separated by commas')
  .transform((text) => text.split(',').filter((name) => name !== ''));
const environment = z.object({
  PLATFORM_CONFIG: z.string().default(agentPaths.config),
  PLATFORM_SIDECAR_SOCKET: z.string().default(agentPaths.sidecarSocket),
  CLAUDE_TOOLS: toolNames.default([]),
});

try {
  const settings = parseEnvironment(environment, process.env);
  const config = agentConfig.parse(JSON.parse(await readFile(settings.PLATFORM_CONFIG, 'utf8')));
  const options = queryOptions(config, {
    ownTools: settings.CLAUDE_TOOLS,
    stateDirectory: await mkdtemp(join(tmpdir(), 'claude-')),
    env: process.env,
  });
  const { PLATFORM_SIDECAR_SOCKET: sidecarSocket } = settings;
  process.exit(await runClaudeAgent({ config, sidecarSocket, query: await loadSdk(), options }));
} catch (error) {
  process.stderr.write(`claude agent: ${describeError(error)}\n`);
  process.exit(1);
}
