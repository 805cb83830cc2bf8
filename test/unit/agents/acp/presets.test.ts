import { expect, it } from '@jest/globals';
import { type AcpPresetName, type LaunchSettings, launchOf } from '../../../../agents/acp/presets.ts';
import { instructionsOf } from '../../../../agents/model/instructions.ts';

const settings: LaunchSettings = {
  config: {
    session_id: '00000000-0000-4000-8000-000000000002',
    agent: {
      ...{ id: '00000000-0000-4000-8000-000000000003', name: 'coder', kind: 'worker' },
      ...{ instructions: '', model: 'some-model' },
    },
    prompt: '',
    mcpServers: {},
  },
  command: ['my-agent', '--acp'],
  packages: '/opt/agent/x',
  env: { ANTHROPIC_BASE_URL: 'http://127.0.0.1:7071', ENABLE_TOOL_SEARCH: 'true' },
  directory: '/workspace',
  ownTools: [],
  password: 'random',
};

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

it.each<[AcpPresetName, string]>([
  ['claude', 'call mcp__platform__end_session;'],
  ['opencode', 'call platform_end_session;'],
  ['custom', 'call end_session of the MCP server platform;'],
])('names the tools of platform as %s does', (name, said) => {
  expect(instructionsOf(settings.config, launchOf(name, settings).nameTool)).toContain(said);
});

it('leads opencode to the model of the session, with a password for its port and no tool of its own', () => {
  const { env, maxWaitSeconds } = launchOf('opencode', settings);
  expect(JSON.parse(env['OPENCODE_CONFIG_CONTENT'] ?? '')).toMatchObject({
    model: 'anthropic/some-model',
    provider: { anthropic: { options: { baseURL: 'http://127.0.0.1:7071/v1', apiKey: 'none' } } },
    permission: { bash: 'deny', edit: 'deny' },
    experimental: { mcp_timeout: 900_000 },
  });
  expect(env['OPENCODE_SERVER_PASSWORD']).toBe('random');
  expect(launchOf('opencode', settings).model).toBeNull();
  expect(launchOf('custom', settings).model).toBe('some-model');
  expect(maxWaitSeconds).toBe(45);
});
