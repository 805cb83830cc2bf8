/** What an entry says of its tools as a whole: which can be called, and which only as they were accepted. */
import { expect, it } from '@jest/globals';
import { decideAgentMessage, type GateView } from '../../../../sidecar/gate/decide.ts';
import { createGateMap } from '../../../../sidecar/gate/gate-map.ts';

const view = (changes: Partial<GateView>): GateView => ({
  tools: createGateMap({ write_file: 'files.write' }),
  refusesChanges: false,
  wasShown: () => false,
  protocolVersion: '2025-11-25',
  agentIdOpen: () => false,
  agentIdTaken: () => false,
  serverIdOpen: () => false,
  roomForRequest: true,
  holdsTooMuch: false,
  ...changes,
});
const decide = (name: string, changes: Partial<GateView>) =>
  decideAgentMessage({ kind: 'request', id: 1, method: 'tools/call', params: { name } }, view(changes));

it('checks a call by what was shown of its tool, where changed tools are refused', () => {
  const refusing = { refusesChanges: true, wasShown: (tool: string) => tool === 'read_file' };
  expect(decide('read_file', refusing)).toMatchObject({ action: 'call', scope: null, definition: 'shown' });
  expect(decide('write_file', refusing)).toMatchObject({ action: 'call', definition: 'unknown' });
  expect(decide('Write_file', refusing)).toMatchObject({ action: 'refuse', reason: 'lookalike_tool_name' });
  expect(decide('read_file', {})).toMatchObject({ action: 'call', definition: 'any' });
});

it('refuses a tool that is not listed, where only listed ones can be called', () => {
  const listed = { tools: createGateMap({ write_file: 'files.write' }, new Set(['read_file'])) };
  expect(decide('read_file', listed)).toMatchObject({ action: 'call', scope: null });
  expect(decide('write_file', listed)).toMatchObject({ action: 'call', scope: 'files.write' });
  for (const name of ['delete_all', 'Read_file', 'read_file ']) {
    expect(decide(name, listed)).toMatchObject({ action: 'refuse', reason: 'unlisted_tool', tool: name });
  }
  expect(decide('WRITE_FILE', listed)).toMatchObject({ action: 'refuse', reason: 'lookalike_tool_name' });
});
