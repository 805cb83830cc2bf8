/**
 * The agent `acp` as a program: it starts an agent of somebody else, which its first argument names. After
 * `custom` come the program and its arguments (docs/bring-your-own-agent.md#an-agent-that-speaks-acp).
 */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { converseByAcp } from '../agents/acp/converse.ts';
import { launchOf } from '../agents/acp/presets.ts';
import { type Conversation, runModelAgent } from '../agents/model/run-model-agent.ts';
import { parseEnvironment } from '../config/parse.ts';
import { acpPreset, acpPresets } from '../contract/acp-preset.ts';
import { type AgentConfig, agentConfig } from '../contract/agent-contract.ts';
import { agentPaths } from '../contract/agent-paths.ts';
import { modelDialect } from '../contract/model-access.ts';
import { describeError } from '../contract/sentences.ts';

const names = z
  .string()
  .regex(/^[A-Za-z_]*(,[A-Za-z_]+)*$/, 'must be names, separated by commas')
  .transform((text) => text.split(',').filter((name) => name !== ''));
const environment = z.object({
  PLATFORM_CONFIG: z.string().default(agentPaths.config),
  PLATFORM_SIDECAR_SOCKET: z.string().default(agentPaths.sidecarSocket),
});
/** Set by whoever made the agent. */
const agentEnvironment = z.object({
  ACP_TOOLS: names.default([]),
  ACP_PACKAGES: z.string().default('/opt/agent'),
  /** Of its model access, where it has one. */
  MODEL_DIALECT: modelDialect.optional(),
});

/** Said in the transcript, as whatever keeps an agent from going on. */
const failing = (why: string): Conversation =>
  // biome-ignore lint/correctness/useYield: it says nothing before it throws
  async function* () {
    throw new Error(why);
  };

function conversationOf(config: AgentConfig): Conversation {
  const settings = parseEnvironment(agentEnvironment, process.env);
  const [, , name, ...command] = process.argv;
  const preset = acpPreset.parse(name);
  const { dialects } = acpPresets[preset];
  if (settings.MODEL_DIALECT !== undefined && !dialects.includes(settings.MODEL_DIALECT)) {
    return failing(
      `${preset} asks its model by ${dialects.join(' or ')}, and the endpoint of its model access speaks ${settings.MODEL_DIALECT}; choose another endpoint`,
    );
  }
  const launch = launchOf(preset, {
    ...{
      config,
      ownTools: settings.ACP_TOOLS,
      command,
      packages: join(settings.ACP_PACKAGES, preset),
    },
    ...{ env: process.env, directory: process.cwd(), password: randomBytes(16).toString('hex') },
  });
  return preset === 'custom' || existsSync(launch.command)
    ? converseByAcp({ config, launch })
    : failing(
        `${preset} is not installed where sessions run; an operator has to run "npm run acp:install -- ${preset}" there, or to build the image acp-${preset}`,
      );
}

function conversationOrFailure(config: AgentConfig): Conversation {
  try {
    return conversationOf(config);
  } catch (error) {
    return failing(describeError(error));
  }
}

try {
  const settings = parseEnvironment(environment, process.env);
  const config = agentConfig.parse(JSON.parse(await readFile(settings.PLATFORM_CONFIG, 'utf8')));
  const { PLATFORM_SIDECAR_SOCKET: sidecarSocket } = settings;
  process.exit(await runModelAgent({ config, sidecarSocket, converse: conversationOrFailure(config) }));
} catch (error) {
  process.stderr.write(`acp agent: ${describeError(error)}\n`);
  process.exit(1);
}
