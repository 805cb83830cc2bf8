/**
 * Messages reach the other side as they were written: numbers, order and spelling of
 * members, escapes and spaces.
 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { checkAsyncProperty } from '../../../support/property.ts';
import { type RemoteServer, startRemoteServer } from '../../../support/remote-server.ts';
import { type AgentSide, configFor, startBridge, stopBridges } from './agent-side.ts';

let server: RemoteServer;
let side: AgentSide;
beforeAll(async () => {
  server = await startRemoteServer();
  side = startBridge(configFor(server));
});
afterAll(async () => {
  await stopBridges();
  await server.close();
});

/** Tokens that parsing and serializing would change, among others. */
const scalar = fc.oneof(
  fc.constantFrom('1.0', '-0', '1e2', '1E+2', '12345678901234567890', '0.1000', 'true', 'false', 'null'),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.constantFrom(
    '"\\u0061"',
    '"\\/"',
    '"a\u2028b"',
    '"\\ud83d\\ude00"',
    '"😀"',
    '"\\ud800"',
    '"\\n"',
    '"]},{"',
  ),
  fc.string({ unit: 'binary' }).map((text) => JSON.stringify(text)),
);
const jsonText = (space: fc.Arbitrary<string>) =>
  fc.letrec<{ value: string; member: string }>((tie) => ({
    member: fc
      .tuple(
        fc.constantFrom('"id"', '"a"', '"__proto__"', '"method"', '"\\u0062"', '"a"'),
        space,
        tie('value'),
      )
      .map(([key, gap, value]) => `${key}${gap}:${gap}${value}`),
    value: fc.oneof(
      { maxDepth: 3, depthSize: 'small' },
      scalar,
      fc
        .tuple(space, fc.array(tie('value'), { maxLength: 4 }))
        .map(([gap, all]) => `[${gap}${all.join(`${gap},${gap}`)}${gap}]`),
      fc
        .tuple(space, fc.array(tie('member'), { maxLength: 4 }))
        .map(([gap, all]) => `{${gap}${all.join(`,${gap}`)}${gap}}`),
    ),
  })).value;
const onLine = fc.constantFrom('', ' ', '  ');
const onLines = fc.constantFrom('', ' ', '\n', '\t', '\n  ');

let lastId = 0;
const nextId = () => {
  lastId += 1;
  return lastId;
};
const answered = (id: number) => side.answerTo(id);
const lineTo = (id: number) => side.lines.find((line) => JSON.parse(line).id === id);
const runs = { runs: 60 };

it('from the agent to the server', async () => {
  let body = '';
  server.change({
    'POST /mcp': (_request, response, received) => {
      body = received;
      const { id } = JSON.parse(received);
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result: {} }));
    },
  });
  await checkAsyncProperty(
    fc.asyncProperty(jsonText(onLine), jsonText(onLine), async (value, extra) => {
      const id = nextId();
      const line = `{ "extra":${extra},"id": ${id},"params":{"arguments":${value}},"method":"tools/\\u0063all","jsonrpc":"2.0"}`;
      side.write(line);
      await answered(id);
      expect(body).toBe(line);
    }),
    runs,
  );
});

describe('from the server to the agent', () => {
  const asEvent = (text: string, end: string) =>
    text
      .split('\n')
      .map((line) => `data: ${line}${end}`)
      .join('') + end;
  const formats: [string, string, (text: string) => string][] = [
    ['as JSON', 'application/json', (text) => text],
    ['as JSON with a mark at its begin', 'application/json; charset=utf-8', (text) => `\ufeff${text}`],
    ['as a list with one message', 'application/json', (text) => `[${text} ]`],
    ['as an event', 'text/event-stream', (text) => asEvent(text, '\n')],
    ['as an event with CRLF', 'text/event-stream', (text) => `event: message\r\n${asEvent(text, '\r\n')}`],
  ];
  it.each(formats)('%s, but for breaks of lines', async (_how, type, format) => {
    await checkAsyncProperty(
      fc.asyncProperty(jsonText(onLines), jsonText(onLines), async (value, extra) => {
        const id = nextId();
        const text = `{"result":{"is":${value}},\n"extra":${extra},\t"id": ${id},"jsonrpc":"2.0"}`;
        server.change({
          'POST /mcp': (_request, response) => {
            response.writeHead(200, { 'content-type': type }).end(format(text));
          },
        });
        side.send({ id, method: 'ping' });
        await answered(id);
        expect(lineTo(id)).toBe(text.replaceAll(/[\t\n]+/g, ' '));
      }),
      runs,
    );
  });

  it('several in a list are several lines', async () => {
    const id = nextId();
    const messages = [
      '{"jsonrpc":"2.0","method":"notifications/message","params":{"a":[1.0,{"b":"],["}]}}',
      `{"jsonrpc":"2.0","id":${id},"result":{"n":12345678901234567890}}`,
    ];
    server.change({
      'POST /mcp': (_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json' }).end(`[\n ${messages.join(' , ')}]`);
      },
    });
    side.send({ id, method: 'ping' });
    await answered(id);
    expect(side.lines.slice(-2)).toEqual(messages);
  });
});
