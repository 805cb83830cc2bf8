/** Pure: what the SDK runs with. */
import type { AgentConfig } from '../../contract/agent-contract.ts';
import { instructionsOf } from '../model/instructions.ts';
import { toolsOf } from '../model/tool-names.ts';
import type { QueryOptions } from './sdk.ts';

/** The variables of the agent that it reads itself. */
interface ClaudeSettings {
  /**
   * Tools of the SDK's own that the model gets, such as `Read`: none unless the agent's variable CLAUDE_TOOLS
   * names them.
   */
  ownTools: string[];
  /** A private, empty directory for what the SDK writes. */
  stateDirectory: string;
  env: Readonly<Record<string, string | undefined>>;
}

/**
 * Questions go to the user by `request_input`, which the platform records and knows nobody to answer in some
 * sessions. A search of the web runs at the endpoint, so the platform refuses each request that offers it.
 */
const neverAvailable = ['AskUserQuestion', 'WebSearch'];

const fixed = {
  /** Nothing but the model's endpoint is asked for anything. */
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  DISABLE_AUTOUPDATER: '1',
  /** Members of requests that an endpoint may not know. */
  CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS: '1',
  /** All tools are listed; a search of them would be one of the endpoint's own. */
  ENABLE_TOOL_SEARCH: 'false',
  /** The model is not asked before each server is connected. */
  MCP_CONNECTION_NONBLOCKING: '0',
  /** The first call of a server starts it, and may load its packages. */
  MCP_TIMEOUT: '300000',
  /** Longer than any call that waits for a person. */
  MCP_TOOL_TIMEOUT: '900000',
} as const;

export function queryOptions(
  config: AgentConfig,
  { ownTools, stateDirectory, env }: ClaudeSettings,
): QueryOptions {
  const servers = Object.keys(config.mcpServers);
  const tools = ownTools.filter((tool) => !neverAvailable.includes(tool));
  return {
    systemPrompt: instructionsOf(config),
    ...(config.agent.model === null ? {} : { model: config.agent.model }),
    mcpServers: config.mcpServers,
    strictMcpConfig: true,
    tools,
    allowedTools: [...servers.map(toolsOf), ...tools],
    disallowedTools: neverAvailable,
    // What is not allowed above is denied. The platform decides on calls of MCP servers.
    permissionMode: 'dontAsk',
    settingSources: [],
    persistSession: false,
    includePartialMessages: true,
    verbatimPrompts: true,
    env: { ...env, ...fixed, CLAUDE_CONFIG_DIR: stateDirectory },
    stderr: (text) => void process.stderr.write(text),
  };
}
