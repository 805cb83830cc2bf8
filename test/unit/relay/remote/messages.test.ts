import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  cancelledRequest,
  messageForTransport,
  parseAgentMessage,
} from '../../../../relay/remote/agent-message.ts';
import { SealedMessages } from '../../../../relay/remote/sealed-messages.ts';
import { generalError, parseServerText, splitArray } from '../../../../relay/remote/server-message.ts';
import { checkProperty } from '../../../support/property.ts';

const parse = (value: unknown) => parseAgentMessage(Buffer.from(JSON.stringify(value)));
const revision = 'io.modelcontextprotocol/protocolVersion';

describe('a message of the agent', () => {
  it('is a request, a notification or a response', () => {
    const params = { name: 'a', _meta: { [revision]: '2026-07-28' } };
    expect(parse({ jsonrpc: '2.0', id: 'x', method: 'm', params })).toEqual({
      kind: 'request',
      id: 'x',
      method: 'm',
      params,
      revision: '2026-07-28',
    });
    expect(parse({ method: 'm' })).toEqual({ kind: 'notification', method: 'm', params: {}, revision: null });
    expect(parse({ id: 1, result: {} })).toEqual({ kind: 'response' });
    expect(parse({ id: 1, method: 'm', params: [1] })).toMatchObject({ params: {}, revision: null });
    expect(parse({ id: 1, method: 'm', params: { _meta: { [revision]: 'a\nb' } } })).toMatchObject({
      revision: null,
    });
  });

  it.each([
    [Buffer.from('{'), /JSON in UTF-8/],
    [Buffer.from([0x22, 0xff, 0x22]), /JSON in UTF-8/],
    [Buffer.from('\ufeff{}'), /JSON in UTF-8/],
    [Buffer.from('[]'), /one JSON object/],
    [Buffer.from('{"method":1}'), /method must be a string/],
    [Buffer.from('{"method":"m","id":null}'), /id must be/],
  ])('%s is refused', (bytes, message) => {
    expect(() => parseAgentMessage(bytes)).toThrow(message);
  });

  it('may cancel a request', () => {
    const cancel = (requestId: unknown) =>
      cancelledRequest(parse({ method: 'notifications/cancelled', params: { requestId } }));
    expect([cancel(1), cancel('1'), cancel(null), cancel({})]).toEqual([1, '1', null, null]);
    expect(
      cancelledRequest(parse({ id: 1, method: 'notifications/cancelled', params: { requestId: 1 } })),
    ).toBe(null);
    expect(cancelledRequest(parse({ method: 'notifications/progress', params: { requestId: 1 } }))).toBe(
      null,
    );
  });

  it('gives the transport only what it makes headers from', () => {
    const params = {
      name: 'n',
      uri: 7,
      arguments: { a: 1 },
      _meta: { [revision]: '2026-07-28', progressToken: {} },
    };
    expect(messageForTransport(parse({ id: 1, method: 'tools/call', params, more: 1 }))).toEqual({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'n', _meta: { [revision]: '2026-07-28' } },
    });
    expect(messageForTransport(parse({ method: 'notifications/initialized', params }))).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/initialized',
    });
    expect(
      messageForTransport(parse({ id: 1, method: 'initialize', params: { clientInfo: 1 } })),
    ).toMatchObject({
      params: {
        protocolVersion: expect.any(String),
        capabilities: {},
        clientInfo: { name: expect.any(String) },
      },
    });
    expect(messageForTransport(parse({ id: 1, error: {} }))).not.toHaveProperty('method');
  });
});

describe('the text of a server', () => {
  it('keeps its spelling, on one line', () => {
    expect(parseServerText(' {"id":1,\n\t"result": {"n":1.0}}\r\n')).toEqual([
      { text: '{"id":1, "result": {"n":1.0}}', value: { id: 1, result: { n: 1 } }, answers: 1 },
    ]);
  });

  it.each([
    ['{"id":1,"method":"m","result":{}}', null],
    ['{"id":null,"error":{}}', null],
    ['{"id":"a","error":{}}', 'a'],
    ['{"id":1}', null],
  ])('%s answers %j', (text, answers) => {
    expect(parseServerText(text)).toMatchObject([{ answers }]);
  });

  it.each(['', '1', '"x"', 'null', '[]', '[{},1]', '{"a":}', '{}{}'])('%j is no message', (text) => {
    expect(parseServerText(text)).toBe(null);
  });

  it('may be an error that names no request', () => {
    const general = (text: string) => parseServerText(text)?.map(generalError);
    expect(general('{"error":{"message":"no"}}')).toEqual(['no']);
    expect(general('{"id":1,"error":{"message":"no"}}')).toEqual([null]);
    expect(general('{"error":{"message":1}}')).toEqual([null]);
  });
});

describe('a list of messages', () => {
  it('is split where its elements are, whatever they are', () => {
    checkProperty(
      fc.property(fc.array(fc.json()), fc.constantFrom('', ' ', '\n\t'), (elements, space) => {
        const text = `${space}[${elements.map((each) => `${space}${each}${space}`).join(',')}${space}]${space}`;
        expect(splitArray(text)).toEqual(elements.map((each) => each.trim()));
      }),
    );
  });
});

describe('a sealed message', () => {
  it('is opened once, and looks like what it is', () => {
    const sealed = new SealedMessages();
    const [answer, request] =
      parseServerText('[{"id":"a","result":{"n":1.0}},{"id":1,"method":"ping"}]') ?? [];
    if (answer === undefined || request === undefined) {
      throw new Error('no messages');
    }
    const passed = [answer, request].map((message) => JSON.parse(sealed.seal(message)));
    expect(passed).toMatchObject([
      { jsonrpc: '2.0', id: 'a', result: {} },
      { jsonrpc: '2.0', method: 'sealed' },
    ]);
    expect(passed[1]).not.toHaveProperty('id');
    expect(passed.map((each) => sealed.open(each))).toEqual([answer, request]);
    expect(passed.map((each) => sealed.open(each))).toEqual([null, null]);
    expect(sealed.open({ jsonrpc: '2.0', method: 'ping' })).toBe(null);
  });
});
