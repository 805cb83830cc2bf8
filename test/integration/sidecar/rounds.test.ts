import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { sha256OfCall } from '../../../contract/call-digest.ts';
import type { CheckAnswer } from '../../../contract/sidecar.ts';
import { bundlePrograms } from './programs.ts';
import { TestSession } from './session.ts';
import { closeWires, openWire, request, type Wire } from './wire.ts';

const script = fileURLToPath(new URL('rounds-server.mjs', import.meta.url));
const refused: CheckAnswer = { decision: 'refused', code: 'permission_required', scope: 'shop.order' };
let session: TestSession;
/**
 * Call ids that spent the one `once` grant: the platform allows the same call again,
 * however often it is checked.
 */
let spentOn: string | null;

beforeAll(async () => {
  session = new TestSession(await bundlePrograms(), {
    rounds: {
      command: process.execPath,
      args: [script],
      toolScopes: { order: 'shop.order' },
      clientFeatures: ['elicitation'],
      entryVersion: 7,
    },
    // The same server, with an entry that allows it no requests to the agent.
    quiet: { command: process.execPath, args: [script], toolScopes: { order: 'shop.order' } },
  });
  await session.start();
});
beforeEach(() => {
  spentOn = null;
  session.platform.calls.length = 0;
  session.platform.checks.length = 0;
  session.platform.onCheck = ({ call_id }) => {
    spentOn ??= call_id;
    return spentOn === call_id ? { decision: 'allowed', granted_via: null } : refused;
  };
});
afterEach(closeWires);
afterAll(() => session.stop());

const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'wire', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
};
const order = (id: string | number, item: string, more: object = {}) =>
  request(id, 'tools/call', { name: 'order', arguments: { item }, ...more, _meta: envelope });
const answers = { inputResponses: { choice: { action: 'accept', content: { choice: 'red' } } } };
const text = (answer: Record<string, unknown>) => JSON.stringify(answer);

describe('a call in several rounds', () => {
  it('works for the official client, under one `once` grant, recorded once', async () => {
    const client = new Client(
      { name: 'buyer', version: '1' },
      { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: 'auto' } },
    );
    client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { choice: 'blue' } }));
    await client.connect(new StdioClientTransport({ ...session.relayLaunch('rounds'), stderr: 'ignore' }));
    const result = await client.callTool({ name: 'order', arguments: { item: 'hat' } });
    expect(result.content).toEqual([{ type: 'text', text: 'ordered hat, chosen:hat:blue' }]);

    const again = await client.callTool({ name: 'order', arguments: { item: 'hat' } });
    expect(again._meta?.['platform/error']).toMatchObject({ code: 'permission_required' });
    await session.recordOf('rounds', 'order', 'permission_required');
    expect(session.platform.calls.map(({ outcome }) => outcome)).toEqual(['ok', 'permission_required']);
    const [first, second, third] = session.platform.checks.map((check) => check.call_id);
    expect(new Set([first, second, third, session.platform.calls[0]?.call_id]).size).toBe(1);
    await client.close();
  });

  it('is abandoned by the official client when it does not end, and recorded as unknown', async () => {
    const client = new Client({ name: 'patient', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    await client.connect(new StdioClientTransport({ ...session.relayLaunch('rounds'), stderr: 'ignore' }));
    await expect(client.callTool({ name: 'endless', arguments: {} })).rejects.toMatchObject({
      code: 'INPUT_REQUIRED_ROUNDS_EXCEEDED',
    });
    await client.close();
    expect(await session.recordOf('rounds', 'endless')).toMatchObject({ outcome: 'unknown' });
  });
});

it('a question that the entry does not allow reaches nobody, and ends the call', async () => {
  const wire = await openWire(session.socketOf('quiet'));
  wire.send(order(1, 'hat'));
  const answer = text(await wire.answerTo(1));
  expect(answer).toContain('it asks for what the catalog entry does not allow the server to ask');
  expect(answer).not.toContain('Which one?');
  expect(await session.recordOf('quiet', 'order')).toMatchObject({ outcome: 'protocol_error' });
  wire.send(order(2, 'hat', { requestState: 'asked:hat', ...answers }));
  expect(text(await wire.answerTo(2))).toContain('unknown_continuation');
});

describe('under a grant for exactly one call', () => {
  const approved = sha256OfCall({
    ...{ server: 'rounds', tool: 'order', entryVersion: 7 },
    argumentsText: '{"item":"hat"}',
  });
  /** As the platform: the grant serves the first call that is named so, in all of its rounds. */
  beforeEach(() => {
    session.platform.onCheck = ({ call_id, call_sha256 }) => {
      if (spentOn === null && call_sha256 === approved) {
        spentOn = call_id;
      }
      return spentOn === call_id ? { decision: 'allowed', granted_via: null } : refused;
    };
  });

  const refusedCallOfRequest = async () => {
    const asking = { grant_type: 'tool_scope', details: { scope: 'shop.order' }, scope: 'once' };
    const event = { type: 'agent.permission_request', payload: { ...asking, justification: '' } };
    await session.agentRequest('POST', '/event', JSON.stringify(event));
    return session.platform.requests.at(-1)?.refused_call;
  };

  it('passes in all of its rounds, each named alike', async () => {
    const wire = await openWire(session.socketOf('rounds'));
    wire.send(order(1, 'hat'));
    expect(text(await wire.answerTo(1))).toContain('asked:hat');
    wire.send(order(2, 'hat', { requestState: 'asked:hat', ...answers }));
    expect(text(await wire.answerTo(2))).toContain('chosen:hat:red');
    wire.send(order(3, 'hat', { requestState: 'chosen:hat:red' }));
    expect(text(await wire.answerTo(3))).toContain('ordered hat, chosen:hat:red');
    const { checks } = session.platform;
    expect(checks.map(({ call_id, call_sha256 }) => [call_id, call_sha256])).toEqual(
      Array(3).fill([spentOn, approved]),
    );
  });

  it.each([
    ['other arguments', 'yacht', '{"item":"yacht"}'],
    ['the same arguments, written otherwise', 'hat', ' {"item": "hat"}'],
  ])('a further round with %s is no round of it, and has no name', async (_what, item, written) => {
    const wire = await openWire(session.socketOf('rounds'));
    wire.send(order(1, 'hat'));
    expect(text(await wire.answerTo(1))).toContain('asked:hat');
    const round = JSON.stringify(order(2, item, { requestState: 'asked:hat', ...answers }));
    wire.send(round.replace(`{"item":"${item}"}`, written));
    expect(text(await wire.answerTo(2))).toContain('permission_required');
    expect(session.platform.checks.map(({ call_sha256 }) => call_sha256)).toEqual([approved, undefined]);
  });

  it('does not begin with the state of another call, which no approval shows', async () => {
    const wire = await openWire(session.socketOf('rounds'));
    wire.send(order(1, 'hat', { requestState: 'chosen:yacht:gold' }));
    expect(text(await wire.answerTo(1))).toContain('permission_required');
    expect(session.platform.checks.map(({ call_sha256 }) => call_sha256)).toEqual([undefined]);
    expect(await refusedCallOfRequest()).toEqual({ server: 'rounds', tool: 'order' });
    expect(spentOn).toBeNull();
  });

  it('shows the same call when it is revoked between two rounds', async () => {
    const wire = await openWire(session.socketOf('rounds'));
    wire.send(order(1, 'hat'));
    expect(text(await wire.answerTo(1))).toContain('asked:hat');
    session.platform.onCheck = () => refused;
    wire.send(order(2, 'hat', { requestState: 'asked:hat', ...answers }));
    expect(text(await wire.answerTo(2))).toContain('permission_required');
    expect(await refusedCallOfRequest()).toMatchObject({ arguments: '{"item":"hat"}' });
  });
});

describe('a round forged by a hostile agent', () => {
  let wire: Wire;
  /** A call that waits for its next round. */
  const asked = async () => {
    wire = await openWire(session.socketOf('rounds'));
    wire.send(order(1, 'hat'));
    expect(text(await wire.answerTo(1))).toContain('"requestState":"asked:hat"');
  };

  it.each([
    ['other arguments', order(2, 'yacht', { requestState: 'asked:hat', ...answers })],
    ['another state', order(2, 'hat', { requestState: 'asked:yacht', ...answers })],
    ['no state', order(2, 'hat', answers)],
    ['an empty state', order(2, 'hat', { requestState: '', ...answers })],
    [
      'an answer that nobody asked for',
      order(2, 'hat', { requestState: 'asked:hat', inputResponses: { other: { action: 'accept' } } }),
    ],
  ])(
    'with %s is a separate call that needs its own grant, and the original call can still continue',
    async (_title, round) => {
      await asked();
      wire.send(round);
      expect(text(await wire.answerTo(2))).toContain('permission_required');
      expect(session.platform.checks[1]?.call_id).not.toBe(spentOn);
      wire.send(order(3, 'hat', { requestState: 'asked:hat', ...answers }));
      expect(text(await wire.answerTo(3))).toContain('chosen:hat:red');
    },
  );

  it('of another tool is a separate call of that tool, with its own record', async () => {
    await asked();
    const params = { name: 'endless', arguments: {}, requestState: 'asked:hat', ...answers, _meta: envelope };
    wire.send(request(2, 'tools/call', params));
    expect(text(await wire.answerTo(2))).toContain('input_required');
    wire.send(order(3, 'hat', { requestState: 'asked:hat', ...answers }));
    expect(text(await wire.answerTo(3))).toContain('chosen:hat:red');
    wire.socket.destroy();
    expect(await session.recordOf('rounds', 'endless', 'unknown')).toBeDefined();
  });

  it('with a reused state needs another grant', async () => {
    await asked();
    const round = (id: number) => order(id, 'hat', { requestState: 'asked:hat', ...answers });
    wire.send(round(2), round(3));
    expect(text(await wire.answerTo(2))).toContain('chosen:hat:red');
    expect(text(await wire.answerTo(3))).toContain('permission_required');
    wire.socket.destroy();
    expect(await session.recordOf('rounds', 'order', 'unknown')).toBeDefined();
    const outcomes = session.platform.calls.map(({ outcome }) => outcome).toSorted();
    expect(outcomes).toEqual(['permission_required', 'unknown']);
  });

  it('after the grant was revoked is refused', async () => {
    await asked();
    session.platform.onCheck = () => refused;
    wire.send(order(2, 'hat', { requestState: 'asked:hat', ...answers }));
    expect(text(await wire.answerTo(2))).toContain('permission_required');
    wire.send(order(3, 'hat', { requestState: 'asked:hat', ...answers }));
    expect(text(await wire.answerTo(3))).toContain('permission_required');
    expect(await session.recordOf('rounds', 'order', 'permission_required')).toBeDefined();
  });

  it('without end is limited', async () => {
    wire = await openWire(session.socketOf('rounds'));
    const round = (id: number) =>
      request(id, 'tools/call', {
        name: 'endless',
        arguments: {},
        ...(id === 0 ? {} : { requestState: String(id) }),
        _meta: envelope,
      });
    for (let id = 0; id < 16; id += 1) {
      wire.send(round(id));
      expect(text(await wire.answerTo(id))).toContain('input_required');
    }
    wire.send(round(16));
    expect(text(await wire.answerTo(16))).toContain('it asks for input once more than is allowed');
    expect(await session.recordOf('rounds', 'endless')).toMatchObject({ outcome: 'protocol_error' });
  });
});
