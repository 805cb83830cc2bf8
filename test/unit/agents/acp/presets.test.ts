import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { type LaunchSettings, launchOf } from '../../../../agents/acp/presets.ts';
import { instructionsOf } from '../../../../agents/model/instructions.ts';
import { type AcpPreset, acpPreset, acpPresets } from '../../../../contract/acp-preset.ts';

const settings: LaunchSettings = {
  config: {
    session_id: '00000000-0000-4000-8000-000000000002',
    agent: {
      ...{ id: '00000000-0000-4000-8000-000000000003', name: 'coder', kind: 'worker' },
      ...{ instructions: '', model: 'some-model' },
    },
    prompt: '',
    mcpServers: { files: { command: 'relay', args: ['files'], env: {} } },
  },
  command: ['my-agent', '--acp'],
  packages: '/opt/agent/x',
  env: {
    ...{ MODEL_DIALECT: 'messages', ANTHROPIC_BASE_URL: 'http://127.0.0.1:7071' },
    ENABLE_TOOL_SEARCH: 'true',
  },
  directory: '/workspace',
  ownTools: [],
  password: 'random',
};

it.each(acpPreset.options)('is documented as people read it who choose %s', (name) => {
  const page = readFileSync('docs/bring-your-own-agent.md', 'utf8');
  const row = page.split('\n').find((line) => line.startsWith(`| \`${name}\``));
  expect(row).toContain(`| ${acpPresets[name].support}. ${acpPresets[name].lacks}`);
});

it('gives codex no tools of its own by kinds, since it would use all of them without asking', () => {
  const mode = (ownTools: readonly string[]) =>
    launchOf('codex', { ...settings, ownTools }).env['INITIAL_AGENT_MODE'];
  expect([mode([]), mode(['read']), mode(['all'])]).toEqual(['read-only', 'read-only', 'agent-full-access']);
});

it('starts an unknown agent as it is, with short waits', () => {
  expect(launchOf('custom', settings)).toMatchObject({
    ...{ command: 'my-agent', args: ['--acp'], env: settings.env, maxWaitSeconds: 45, listsTools: false },
  });
});

it('lists the tools of claude, and gives it none of its own unasked', () => {
  expect(launchOf('claude', settings)).toMatchObject({
    command: '/opt/agent/x/node_modules/.bin/claude-agent-acp',
    env: { ENABLE_TOOL_SEARCH: 'false', ANTHROPIC_BASE_URL: 'http://127.0.0.1:7071' },
    mode: 'default',
    meta: { claudeCode: { options: { tools: [] } } },
  });
});

it('gives claude the tools of its own that are named, also when it asks for one by its kind', () => {
  const claude = (ownTools: readonly string[]) => launchOf('claude', { ...settings, ownTools });
  expect(claude([]).allowedKinds).toEqual([]);
  expect(claude(['Read'])).toMatchObject({
    meta: { claudeCode: { options: { tools: ['Read'] } } },
    allowedKinds: ['all'],
  });
  expect(claude(['all']).meta).toEqual({ claudeCode: { options: {} } });
  expect(launchOf('custom', { ...settings, ownTools: ['edit'] }).allowedKinds).toEqual(['edit']);
});

it.each<[AcpPreset, string]>([
  ['claude', 'call mcp__platform__end_session;'],
  ['codex', 'call mcp__platform__end_session;'],
  ['opencode', 'call platform_end_session;'],
  ['custom', 'call end_session of the MCP server platform;'],
])('names the tools of platform as %s does', (name, said) => {
  expect(instructionsOf(settings.config, launchOf(name, settings).nameTool)).toContain(said);
});

it('leads opencode to the model of the session, with a password for its port and no tool of its own', () => {
  const { env, maxWaitSeconds } = launchOf('opencode', settings);
  expect(JSON.parse(env['OPENCODE_CONFIG_CONTENT'] ?? '')).toMatchObject({
    ...{ model: 'platform/some-model', small_model: 'platform/some-model' },
    provider: {
      platform: {
        ...{ npm: '@ai-sdk/anthropic', models: { 'some-model': {} } },
        options: { baseURL: 'http://127.0.0.1:7071/v1', apiKey: 'none' },
      },
    },
    permission: { '*': 'deny', 'files_*': 'allow' },
    experimental: { mcp_timeout: 900_000 },
  });
  expect(env['OPENCODE_SERVER_PASSWORD']).toBe('random');
  expect(launchOf('opencode', settings).model).toBeNull();
  expect(launchOf('custom', settings).model).toBe('some-model');
  expect(maxWaitSeconds).toBe(45);
});

it('leads codex to the model and the servers of the session by its configuration, without a shell', () => {
  const openai = { MODEL_DIALECT: 'responses', OPENAI_BASE_URL: 'http://127.0.0.1:7071/v1' };
  const codex = (ownTools: readonly string[]) => launchOf('codex', { ...settings, env: openai, ownTools });
  const configured = (ownTools: readonly string[]) =>
    JSON.parse(codex(ownTools).envOfServers?.(settings.config.mcpServers)['CODEX_CONFIG'] ?? '');
  expect(configured([])).toMatchObject({
    ...{ model: 'some-model', model_provider: 'platform', web_search: 'disabled' },
    model_providers: { platform: { base_url: 'http://127.0.0.1:7071/v1', env_key: 'OPENAI_API_KEY' } },
    mcp_servers: { files: { command: 'relay', args: ['files'], required: true, tool_timeout_sec: 900 } },
    features: { shell_tool: false, unified_exec: false },
  });
  expect(codex([]).env['INITIAL_AGENT_MODE']).toBe('read-only');
  expect(configured(['all'])).toMatchObject({ features: { shell_tool: true } });
  expect(codex(['all']).env['INITIAL_AGENT_MODE']).toBe('agent-full-access');
  expect(launchOf('custom', settings).envOfServers).toBeNull();
});
