/** What each known agent needs to behave here, as data: without these settings it fails silently. */
import * as z from 'zod';
import type { AgentConfig } from '../../contract/agent-contract.ts';
import { platformServerName } from '../../contract/platform-server-name.ts';
import type { NameTool } from '../model/instructions.ts';
import { platformTool } from '../model/tool-names.ts';

/** Agents that speak the Agent Client Protocol, as the agent `acp` knows to start them. */
export const acpPresetName = z.enum(['claude', 'opencode', 'custom']);
export type AcpPresetName = z.infer<typeof acpPresetName>;

/** How one agent is started in a session. */
export interface AcpLaunch {
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
  directory: string;
  /** Set once the session is open; null: the agent's own. */
  mode: string | null;
  /** Likewise, where the agent offers it; null: its own choice, or set by its configuration. */
  model: string | null;
  /** A method that needs nobody; null: none. */
  authenticate: string | null;
  /** Of `session/new`. */
  meta: object | null;
  /** Whether it asks each server for its tools before its first turn ends. */
  listsTools: boolean;
  /** Longest wait for a person within one call. */
  maxWaitSeconds: number;
  nameTool: NameTool;
  /** Kinds of its own tools that it is allowed when it asks, or `all`. */
  allowedKinds: readonly string[];
}

export interface LaunchSettings {
  config: AgentConfig;
  /** Of `custom`: the program and its arguments. */
  command: readonly string[];
  /** Where the packages of presets are installed. */
  packages: string;
  env: Readonly<Record<string, string | undefined>>;
  directory: string;
  ownTools: readonly string[];
  /** For an agent that opens a port of its own. */
  password: string;
}

/** Two of five agents give up on a call after a minute. */
const usualWaitSeconds = 45;
const toolTimeoutMs = 900_000;

type Preset = (settings: LaunchSettings) => Partial<AcpLaunch> & Pick<AcpLaunch, 'command'>;

const presets: Record<AcpPresetName, Preset> = {
  claude: ({ packages, ownTools }) => ({
    command: `${packages}/node_modules/.bin/claude-agent-acp`,
    env: {
      ENABLE_TOOL_SEARCH: 'false',
      CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS: '1',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION: 'false',
      DISABLE_AUTOUPDATER: '1',
      MCP_TOOL_TIMEOUT: String(toolTimeoutMs),
    },
    // Its `auto` has a classifier ask the model about each call.
    mode: 'default',
    // Without a list it has all. What it has, it asks for by kinds, and the list is of names.
    meta: { claudeCode: { options: ownTools.includes('all') ? {} : { tools: [...ownTools] } } },
    allowedKinds: ownTools.length > 0 ? ['all'] : [],
    nameTool: platformTool,
    listsTools: true,
    maxWaitSeconds: 300,
  }),
  opencode: ({ packages, config, env, password, ownTools }) => ({
    command: `${packages}/node_modules/.bin/opencode`,
    args: ['acp'],
    env: {
      OPENCODE_CONFIG_CONTENT: JSON.stringify({
        ...(config.agent.model === null ? {} : { model: `anthropic/${config.agent.model}` }),
        ...(env['ANTHROPIC_BASE_URL'] === undefined
          ? {}
          : {
              provider: {
                anthropic: { options: { baseURL: `${env['ANTHROPIC_BASE_URL']}/v1`, apiKey: 'none' } },
              },
            }),
        permission: ownTools.length > 0 ? 'ask' : { edit: 'deny', bash: 'deny', webfetch: 'deny' },
        experimental: { mcp_timeout: toolTimeoutMs },
        autoupdate: false,
        share: 'disabled',
      }),
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_PROJECT_CONFIG: '1',
      // Its own HTTP server, which is open to whatever shares its loopback.
      OPENCODE_SERVER_PASSWORD: password,
    },
    model: null,
    nameTool: (tool) => `${platformServerName}_${tool}`,
    listsTools: true,
  }),
  custom: ({ command: [program = '', ...args] }) => ({ command: program, args }),
};

export function launchOf(name: AcpPresetName, settings: LaunchSettings): AcpLaunch {
  const { env = {}, ...preset } = presets[name](settings);
  return {
    ...{ args: [], mode: null, authenticate: null, meta: null, listsTools: false },
    ...{ maxWaitSeconds: usualWaitSeconds, directory: settings.directory },
    ...{ model: settings.config.agent.model, allowedKinds: settings.ownTools },
    // Each agent has its own way to name them.
    nameTool: (tool) => `${tool} of the MCP server ${platformServerName}`,
    ...preset,
    env: { ...settings.env, ...env },
  };
}
