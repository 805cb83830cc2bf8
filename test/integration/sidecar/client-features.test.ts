/**
 * What a server may ask of the agent follows from its catalog entry: the same real server under two entries.
 */
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { bundlePrograms } from './programs.ts';
import { TestSession, until } from './session.ts';
import { call, closeWires, initialize, openWire } from './wire.ts';

const script = fileURLToPath(new URL('asking-server.mjs', import.meta.url));
const asking = { command: process.execPath, args: [script] };
let session: TestSession;

beforeAll(async () => {
  session = new TestSession(await bundlePrograms(), {
    allowed: { ...asking, clientFeatures: ['elicitation', 'roots', 'sampling'] },
    elicits: { ...asking, clientFeatures: ['elicitation'] },
    silent: asking,
  });
  await session.start();
});
afterEach(closeWires);
afterAll(() => session.stop());

/** The official client with every feature; `asked` holds what it was asked for and notified of. */
async function connect(server: string): Promise<{ client: Client; asked: string[] }> {
  const asked: string[] = [];
  const client = new Client(
    { name: 'helpful', version: '1' },
    { capabilities: { sampling: {}, elicitation: { form: {}, url: {} }, roots: {} } },
  );
  client.setRequestHandler('sampling/createMessage', () => {
    asked.push('sampling');
    return { role: 'assistant', model: 'mine', content: { type: 'text', text: 'something' } };
  });
  client.setRequestHandler('elicitation/create', () => {
    asked.push('elicitation');
    return { action: 'accept', content: { choice: 'scarlet' } };
  });
  client.setRequestHandler('roots/list', () => {
    asked.push('roots');
    return { roots: [{ uri: 'file:///workspace' }] };
  });
  client.setNotificationHandler('notifications/elicitation/complete', () => void asked.push('complete'));
  await client.connect(new StdioClientTransport({ ...session.relayLaunch(server), stderr: 'ignore' }));
  return { client, asked };
}

const resultOf = async (client: Client, name: string) => {
  const { isError = false, content } = await client.callTool({ name });
  return { isError, text: JSON.stringify(content) };
};

describe('a request of a server to the agent', () => {
  it('reaches it, and its answers the server, if the entry allows all features', async () => {
    const { client, asked } = await connect('allowed');
    expect((await resultOf(client, 'sample')).text).toContain('something');
    expect((await resultOf(client, 'elicit')).text).toContain('scarlet');
    expect((await resultOf(client, 'roots')).text).toContain('file:///workspace');
    expect(asked).toEqual(['sampling', 'elicitation', 'complete', 'roots']);
    await client.close();
  });

  it('reaches it as far as the entry allows', async () => {
    const { client, asked } = await connect('elicits');
    expect(await resultOf(client, 'elicit')).toMatchObject({ isError: false });
    for (const tool of ['sample', 'roots']) {
      expect(await resultOf(client, tool)).toMatchObject({ isError: true });
    }
    expect(asked).toEqual(['elicitation', 'complete']);
    await client.close();
  });

  it('reaches nobody if the entry allows no feature, and the server gets an error', async () => {
    const { client, asked } = await connect('silent');
    for (const tool of ['sample', 'elicit', 'roots']) {
      const { isError, text } = await resultOf(client, tool);
      expect([isError, text]).toEqual([true, expect.stringContaining('does not let this request pass')]);
    }
    expect(asked).toEqual([]);
    expect(session.sidecarLog).toContain('"client_feature_not_allowed"');
    await client.close();
  });

  it('is answered once', async () => {
    const wire = await openWire(session.socketOf('allowed'));
    const capabilities = { elicitation: { form: {}, url: {} } };
    wire.send({ ...initialize, params: { ...initialize.params, capabilities } }, call(1, 'elicit'));
    const question = () => wire.received.find(({ method }) => method === 'elicitation/create');
    await until(() => question() !== undefined, 'the question');
    const answer = (choice: string) => ({
      jsonrpc: '2.0',
      id: question()?.['id'],
      result: { action: 'accept', content: { choice } },
    });
    wire.send(answer('first'), answer('second'));
    expect(JSON.stringify(await wire.answerTo(1))).toContain('first');
    const refused = () => JSON.stringify(wire.received).includes('"reason":"unknown_answer"');
    await until(refused, 'the refusal of the second answer');
  });
});
