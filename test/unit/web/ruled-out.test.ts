import { expect, it } from '@jest/globals';
import { availabilityOf, type WorkerCapabilities } from '../../../contract/available-runs.ts';
import { ruledOut } from '../../../web/src/pages/system/ruled-out.ts';

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
});

it('rules out in a cluster only what no operator has set up', () => {
  const rows = ruledOut(availabilityOf('kubernetes', [{ ...worker, runtime: 'kubernetes' }]));
  expect(rows.map(({ what }) => what)).toEqual(['The built-in agent Claude']);
});
