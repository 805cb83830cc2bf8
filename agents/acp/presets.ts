/** What each known agent needs to behave here, as data: without these settings it fails silently. */
import type { AcpPreset } from '../../contract/acp-preset.ts';
import type { AgentConfig } from '../../contract/agent-contract.ts';
import { type ModelDialect, modelDialect } from '../../contract/model-access.ts';
import { platformServerName } from '../../contract/platform-server-name.ts';
import type { NameTool } from '../model/instructions.ts';
import { platformTool } from '../model/tool-names.ts';

/** How one agent is started in a session. */
export interface AcpLaunch {
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
  /** For an agent that takes its servers so; null: `session/new` names them. */
  envOfServers: ((servers: Servers) => Readonly<Record<string, string>>) | null;
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

type Servers = AgentConfig['mcpServers'];
type Preset = (settings: LaunchSettings) => Partial<AcpLaunch> & Pick<AcpLaunch, 'command'>;

const presets: Record<AcpPreset, Preset> = {
  claude: ({ packages, config, ownTools }) => ({
    command: `${packages}/node_modules/.bin/claude-agent-acp`,
    env: {
      ENABLE_TOOL_SEARCH: 'false',
      CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS: '1',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION: 'false',
      DISABLE_AUTOUPDATER: '1',
      MCP_TOOL_TIMEOUT: String(toolTimeoutMs),
      // What it offers of models are names of its own, such as `sonnet`; this one takes any.
      ...(config.agent.model === null
        ? {}
        : { ANTHROPIC_MODEL: config.agent.model, ANTHROPIC_DEFAULT_HAIKU_MODEL: config.agent.model }),
    },
    model: null,
    // Its `auto` has a classifier ask the model about each call.
    mode: 'default',
    // Without a list it has all. What it has, it asks for by kinds, and the list is of names.
    meta: { claudeCode: { options: ownTools.includes('all') ? {} : { tools: [...ownTools] } } },
    allowedKinds: ownTools.length > 0 ? ['all'] : [],
    nameTool: platformTool,
    listsTools: true,
    maxWaitSeconds: 300,
  }),
  codex: ({ packages, config, env, ownTools }) => {
    // With full access it sends no request, so that a list of kinds would allow all of them.
    const hasOwnTools = ownTools.includes('all');
    return {
      command: `${packages}/node_modules/.bin/codex-acp`,
      env: {
        MODEL_PROVIDER: providerName,
        NO_BROWSER: '1',
        // Its own sandbox does not start within the platform's.
        INITIAL_AGENT_MODE: hasOwnTools ? 'agent-full-access' : 'read-only',
      },
      // A server of `session/new` that is slow to start is missing in its first turn without a word.
      envOfServers: (servers) => ({
        CODEX_CONFIG: JSON.stringify({
          ...(config.agent.model === null ? {} : { model: config.agent.model }),
          model_provider: providerName,
          model_providers: {
            [providerName]: {
              ...{ name: providerName, base_url: env['OPENAI_BASE_URL'], env_key: 'OPENAI_API_KEY' },
              wire_api: 'responses',
            },
          },
          mcp_servers: Object.fromEntries(
            Object.entries(servers).map(([name, server]) => [name, { ...server, ...codexTimeouts }]),
          ),
          web_search: 'disabled',
          tools: { view_image: false },
          features: Object.fromEntries(codexFeatures.map((name) => [name, hasOwnTools])),
          analytics: { enabled: false },
          check_for_update_on_startup: false,
        }),
      }),
      model: null,
      nameTool: platformTool,
      listsTools: true,
      maxWaitSeconds: 300,
    };
  },
  opencode: ({ packages, config, env, password, ownTools }) => ({
    command: `${packages}/node_modules/opencode-linux-x64-baseline/bin/opencode`,
    args: ['acp'],
    env: {
      OPENCODE_CONFIG_CONTENT: JSON.stringify({
        ...opencodeModel(config.agent.model, env),
        // The last rule that fits is the one that counts; a tool that is denied is not even listed.
        permission: {
          '*': ownTools.length > 0 ? 'ask' : 'deny',
          ...Object.fromEntries(Object.keys(config.mcpServers).map((name) => [`${name}_*`, 'allow'])),
        },
        // Else it asks the model once more, for a title that nobody sees.
        agent: { title: { disable: true } },
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
    ...(env['MODEL_DIALECT'] === undefined ? {} : { model: null }),
    nameTool: (tool) => `${platformServerName}_${tool}`,
    listsTools: true,
  }),
  custom: ({ command: [program = '', ...args] }) => ({ command: program, args }),
};

/** What the agent's model access is called in the configuration of an agent. */
const providerName = 'platform';
/** Of each server, which it waits for before its first turn. */
const codexTimeouts = {
  required: true,
  startup_timeout_sec: 120,
  tool_timeout_sec: toolTimeoutMs / 1000,
};
/** What gives Codex tools of its own. */
const codexFeatures = ['shell_tool', 'unified_exec', 'multi_agent', 'goals', 'code_mode'];
/** The part of opencode that speaks each dialect. */
const opencodeClients: Record<ModelDialect, string> = {
  messages: '@ai-sdk/anthropic',
  chat_completions: '@ai-sdk/openai-compatible',
  responses: '@ai-sdk/openai',
};

/** The model of the session as one of a provider of its own, else its choice of its vendor's models. */
function opencodeModel(model: string | null, env: LaunchSettings['env']): object {
  const dialect = modelDialect.safeParse(env['MODEL_DIALECT']).data;
  if (dialect === undefined) {
    return {};
  }
  const baseURL = dialect === 'messages' ? `${env['ANTHROPIC_BASE_URL']}/v1` : env['OPENAI_BASE_URL'];
  const options = { baseURL, apiKey: 'none' };
  if (model === null) {
    return { provider: { [dialect === 'messages' ? 'anthropic' : 'openai']: { options } } };
  }
  const name = `${providerName}/${model}`;
  const models = { [model]: { name: model, tool_call: true } };
  const provider = { npm: opencodeClients[dialect], options, models };
  return { model: name, small_model: name, provider: { [providerName]: provider } };
}

export function launchOf(name: AcpPreset, settings: LaunchSettings): AcpLaunch {
  const { env = {}, ...preset } = presets[name](settings);
  return {
    ...{ args: [], envOfServers: null, mode: null, authenticate: null, meta: null, listsTools: false },
    ...{ maxWaitSeconds: usualWaitSeconds, directory: settings.directory },
    ...{ model: settings.config.agent.model, allowedKinds: settings.ownTools },
    // Each agent has its own way to name them.
    nameTool: (tool) => `${tool} of the MCP server ${platformServerName}`,
    ...preset,
    env: { ...settings.env, ...env },
  };
}
