import { expect, it } from '@jest/globals';
import { availabilityOf, type WorkerCapabilities } from '../../../contract/available-runs.ts';
import { presetOptions, presetText } from '../../../web/src/pages/agents/preset-options.ts';
import { ruledOut } from '../../../web/src/pages/system/system-text.ts';

const worker: WorkerCapabilities = {
  runtime: 'process',
  sandbox: true,
  internet: true,
  commands: null,
  missing_commands: [],
  limits: [],
  claude: false,
};
const rowsOf = (...more: Partial<WorkerCapabilities>[]) =>
  ruledOut(
    availabilityOf(
      'process',
      more.map((one) => ({ ...worker, ...one })),
    ),
  ).map(({ what }) => what);
const always = [
  'MCP servers and agents that are images',
  'The built-in agent Claude',
  'The agent Claude Code, by ACP',
  'The agent Codex, by ACP',
  'The agent OpenCode, by ACP',
  'Private destinations',
];

it('lists what each of the workers lacks, and what the runtime rules out', () => {
  expect(rowsOf({}).sort()).toEqual([...always].sort());
  expect(rowsOf({}, { internet: false }).filter((row) => !always.includes(row))).toEqual([
    'Remote MCP servers',
    'Internet access of agents and MCP servers',
  ]);
  expect(rowsOf({ missing_commands: ['uvx'] })).toContain('MCP servers that are started with uvx');
  const bare = rowsOf({ sandbox: false, commands: ['mcp-server-filesystem'] });
  expect(bare).toContain('MCP servers that are commands, but for mcp-server-filesystem');
  expect(bare).toContain('Agents that are commands');
  expect(bare).toContain('Remote MCP servers');
  expect(bare).toContain('Programs beside an agent');
  expect(bare.filter((row) => row.includes('ACP'))).toEqual(['Agents that speak ACP']);
});

it('rules out in a cluster only what no operator has set up, or nobody can', () => {
  const rows = ruledOut(availabilityOf('kubernetes', [{ ...worker, runtime: 'kubernetes' }]));
  expect(rows.map(({ what }) => what)).toEqual([
    'The built-in agent Claude',
    'The agent Claude Code, by ACP',
    'The agent Codex, by ACP',
    'The agent OpenCode, by ACP',
    'Another program that speaks ACP',
  ]);
});

it('offers agents of others that are installed first, with what else is missing for each', () => {
  const { acp_presets: presets } = availabilityOf('process', [{ ...worker, acp_presets: ['codex'] }]);
  const options = presetOptions({ presets, endpoints: [{ dialect: 'messages' }] });
  expect(options.map(({ label, disabled }) => [label, disabled])).toEqual([
    ['Codex', false],
    ['Another program that speaks ACP', false],
    ['Claude Code: not available', true],
    ['OpenCode: not available', true],
  ]);
  expect(options.map(({ problems }) => problems)).toEqual([
    [expect.stringMatching(/^no endpoint of this workspace speaks Responses/)],
    [],
    [expect.stringContaining('"npm run acp:install -- claude"')],
    [expect.stringContaining('"npm run acp:install -- opencode"')],
  ]);
  const unknown = presetOptions({ presets: undefined, endpoints: undefined });
  expect(unknown.flatMap(({ problems }) => problems)).toEqual([]);
  expect(presetText('opencode')).toMatch(/Messages, Chat Completions or Responses\. Full support: it takes/);
});
