import { describe, expect, it } from '@jest/globals';
import { createToolCalls } from '../../../../agents/acp/tool-calls.ts';

const options = [
  { optionId: 'always', name: 'Always', kind: 'allow_always' },
  { optionId: 'never', name: 'Never', kind: 'reject_always' },
  { optionId: 'once', name: 'Once', kind: 'allow_once' },
];
const asks = (more: object) => ({ toolCall: { toolCallId: 'a', ...more }, options });
const selected = (optionId: string) => ({ outcome: { outcome: 'selected', optionId } });
const cancelled = { outcome: { outcome: 'cancelled' } };

describe('a permission of the protocol', () => {
  it.each([
    ['of claude', { title: 'x', _meta: { claudeCode: { mcpServer: 'files' } } }],
    ['of codex', { title: 'x', _meta: { is_mcp_tool_call: true } }],
    ['of gemini', { title: 'write_file (files MCP Server)' }],
    ['of opencode', { title: 'files_write_file' }],
    ['of kimi', { title: 'mcp__files__write_file' }],
  ])('for a tool of a server is given, as the sidecar decides: %s', (_agent, call) => {
    expect(createToolCalls(['files'], []).decide(asks(call))).toEqual(selected('once'));
  });

  it('for a tool of its own follows the list, and its kind is what was said of the call before', () => {
    const calls = createToolCalls(['files'], ['edit']);
    expect(calls.decide(asks({ title: 'rm', kind: 'execute' }))).toEqual(selected('never'));
    expect(calls.decide(asks({ title: 'other_write_file' }))).toEqual(selected('never'));
    calls.take({ toolCallId: 'a', title: 'note', kind: 'edit', status: 'pending' }, true);
    expect(calls.decide(asks({}))).toEqual(selected('once'));
    expect(createToolCalls([], ['all']).decide(asks({ kind: 'execute' }))).toEqual(selected('once'));
  });

  it('is cancelled where no option fits, or nothing is asked', () => {
    const calls = createToolCalls([], []);
    expect(calls.decide({ ...asks({}), options: options.slice(0, 1) })).toEqual(cancelled);
    expect(calls.decide('x')).toEqual(cancelled);
  });
});

it('takes a tool of a server that the session does not have for one of its own', () => {
  const calls = createToolCalls(['files'], []);
  const [title, status] = ['mcp__bank__pay', 'completed'];
  expect(calls.decide(asks({ title }))).toEqual(selected('never'));
  expect(calls.take({ toolCallId: 'a', title, status }, true)).toEqual([
    { type: 'own_tool', title, failed: false },
  ]);
});

it('shows a tool of its own once, at its end, and none of a server', () => {
  const calls = createToolCalls(['files'], []);
  const take = (toolCallId: string, title: string | null, status: string) =>
    calls.take({ toolCallId, title, status }, status === 'pending');
  expect(take('a', 'ls', 'pending')).toEqual([]);
  expect(take('b', 'files_write_file', 'pending')).toEqual([]);
  expect(take('a', null, 'failed')).toEqual([{ type: 'own_tool', title: 'ls', failed: true }]);
  expect(take('b', null, 'completed')).toEqual([]);
  expect(take('a', 'ls', 'failed')).toEqual([]);
});
