/**
 * Tools that the API runs, as an agent sees them: listed beside the sidecar's own, and passed on as they are.
 */
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Client } from '@modelcontextprotocol/client';
import { adds, type ListedPlatformTool, reads, replaces } from '../../../contract/platform-tools.ts';
import { bundlePrograms, type Programs } from './programs.ts';
import { TestSession } from './session.ts';
import { call, closeWires, initialize, openWire } from './wire.ts';

let programs: Programs;
let session: TestSession;

beforeAll(async () => {
  programs = await bundlePrograms();
});
afterEach(async () => {
  closeWires();
  await session.stop();
});

const tool = (name: string, more: Partial<ListedPlatformTool> = {}): ListedPlatformTool => ({
  ...{ name, title: `Title of ${name}`, description: `Description of ${name}`, annotations: adds },
  input_schema: {
    type: 'object',
    properties: { text: { type: 'string' } },
    required: ['text'],
    additionalProperties: false,
  },
  output_schema: { type: 'object', properties: { found: { type: 'array' } }, required: ['found'] },
  ...more,
});

const start = async (
  tools: ListedPlatformTool[],
  limits: { platform_tool_calls_per_minute?: number } = {},
) => {
  session = new TestSession(programs, {}, limits);
  await session.start();
  session.platform.tools = tools;
  session.platform.onToolCall = () => ({ status: 'ok', result: { found: [1, 'é'] } });
};
const namesOf = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name);

describe('a tool of the API', () => {
  it.each(['legacy', 'auto'] as const)('is listed and called by a client (%s)', async (mode) => {
    await start([tool('graph_find', { annotations: reads })]);
    const client = await session.connect('platform', mode);
    const { tools } = await client.listTools();
    const named = (name: string) => tools.find((each) => each.name === name);
    expect(named('end_session')?.annotations).toEqual(replaces);
    expect(named('graph_find')).toMatchObject({
      title: 'Title of graph_find',
      description: 'Description of graph_find',
      annotations: reads,
      inputSchema: tool('graph_find').input_schema,
      outputSchema: tool('graph_find').output_schema,
    });
    expect(tools.map(({ name }) => name)).toContain('emit_status');
    const result = await client.callTool({ name: 'graph_find', arguments: { text: 'x' } });
    expect(session.platform.toolCalls).toEqual([
      { call_id: expect.any(String), name: 'graph_find', arguments: { text: 'x' } },
    ]);
    expect(result.structuredContent).toEqual({ found: [1, 'é'] });
    const [text] = result.content;
    expect(JSON.parse(text?.type === 'text' ? text.text : '')).toEqual({ found: [1, 'é'] });
    expect(await session.recordOf('platform', 'graph_find')).toMatchObject({ outcome: 'ok' });
  });

  it('is given what the agent sent, which the API alone validates', async () => {
    await start([tool('graph_find')]);
    const client = await session.connect('platform');
    const given = { number: 1.5, nested: [{ a: null }, '😀'], undeclared: true };
    await client.callTool({ name: 'graph_find', arguments: given });
    expect(session.platform.toolCalls[0]?.arguments).toEqual(given);
  });

  it('fails with the code of its answer, and with that of a refusal', async () => {
    await start([tool('graph_find')]);
    const client = await session.connect('platform');
    session.platform.onToolCall = () => ({
      status: 'failed',
      code: 'not_found',
      message: 'from: no such node',
    });
    const failed = await client.callTool({ name: 'graph_find', arguments: {} });
    expect(failed).toMatchObject({
      isError: true,
      _meta: { 'platform/error': { code: 'not_found', message: 'from: no such node' } },
    });
    expect(failed.structuredContent).toBeUndefined();
    session.platform.onToolCall = () => {
      throw new Error('text: is required');
    };
    expect(await client.callTool({ name: 'graph_find', arguments: {} })).toMatchObject({
      isError: true,
      _meta: { 'platform/error': { code: 'validation_failed' } },
    });
  });

  it('is not called with a number that JSON.stringify would replace', async () => {
    await start([tool('graph_find')]);
    const wire = await openWire(session.socketOf('platform'));
    wire.send(initialize);
    await wire.answerTo(0);
    const line = JSON.stringify(call(1, 'graph_find', { list: [{ n: 0.125 }] })).replace('0.125', '1e400');
    wire.send(line);
    expect(JSON.stringify(await wire.answerTo(1))).toContain('list.0.n: is too large');
    expect(session.platform.toolCalls).toEqual([]);
  });

  it('does not answer with more than a message holds', async () => {
    await start([tool('graph_find')]);
    const client = await session.connect('platform');
    session.platform.onToolCall = () => ({ status: 'ok', result: { found: ['x'.repeat(600_000)] } });
    expect(await client.callTool({ name: 'graph_find', arguments: {} })).toMatchObject({
      _meta: { 'platform/error': { code: 'too_large' } },
    });
  });

  it('takes the name of no tool of the sidecar', async () => {
    await start([tool('emit_status'), tool('graph_find'), tool('graph_find')]);
    const client = await session.connect('platform');
    expect((await namesOf(client)).filter((name) => name === 'emit_status')).toHaveLength(1);
    await client.callTool({ name: 'emit_status', arguments: { status: 'mine' } });
    expect(session.platform.toolCalls).toEqual([]);
    expect(session.platform.events).toHaveLength(1);
  });

  it('is called at its rate: throttled first, then refused', async () => {
    await start([tool('graph_find')], { platform_tool_calls_per_minute: 20 });
    const client = await session.connect('platform');
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => client.callTool({ name: 'graph_find', arguments: {} })),
    );
    const refused = answers.filter(({ isError }) => isError === true);
    expect(refused.length).toBeGreaterThan(0);
    expect(JSON.stringify(refused[0])).toContain('The limit is 20 calls of tools of the platform a minute');
    expect(session.platform.toolCalls.length).toBeGreaterThanOrEqual(20);
  });
});

describe('an agent has the sidecar’s own tools alone', () => {
  it('while the platform does not answer, and the others when it does', async () => {
    await start([tool('graph_find')]);
    session.platform.failWith = 503;
    expect(await namesOf(await session.connect('platform'))).not.toContain('graph_find');
    session.platform.failWith = null;
    expect(await namesOf(await session.connect('platform'))).toContain('graph_find');
  });

  it('with a list that it does not understand', async () => {
    await start([tool('Graph Find')]);
    expect(await namesOf(await session.connect('platform'))).toContain('emit_status');
    expect(session.sidecarLog).toContain('the platform lists no tools of its own');
  });
});
