import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { signServiceRequest } from '../../../contract/service-signature.ts';
import { eventually } from '../../support/eventually.ts';
import { describeWithStaticRelay, findStaticRelay } from '../../support/static-relay.ts';
import { bundlePrograms, type Programs } from './programs.ts';
import { answerOf, ServiceWorkload, toldBy, webSocketHeaders } from './service-workload.ts';

const webService = fileURLToPath(new URL('./web-service.mjs', import.meta.url));
let programs: Programs;
let workload: ServiceWorkload;
let leftBefore = 0;

beforeAll(async () => {
  programs = await bundlePrograms();
});

const kinds: [string, typeof describe | typeof describe.skip, () => string[]][] = [
  ['the relay for Node', describe, () => [process.execPath, programs.relay]],
  ['the static relay', describeWithStaticRelay, () => [findStaticRelay() ?? '']],
];

for (const [name, describeIt, relay] of kinds) {
  describeIt(`a service behind its gateway and ${name}`, () => {
    beforeAll(async () => {
      leftBefore = 0;
      workload = await new ServiceWorkload(programs, relay()).start(webService);
    });
    afterAll(() => workload.stop());

    it('gets a request as it was sent, but for the signature and what is between two programs', async () => {
      const headers = {
        host: 'localhost:9000',
        cookie: 'of=the-service',
        connection: 'keep-alive, x-private',
        'x-private': 'of this hop',
        te: 'trailers',
        'x-twice': ['a', 'b'],
      };
      const told = await workload.ask('/echo?q=%2F&x=1', { method: 'POST', headers, body: 'hello' });
      expect(told).toMatchObject({ status: 200, headers: { 'set-cookie': ['a=1', 'b=2'] } });
      const { rawHeaders, ...seen } = JSON.parse(told.body);
      expect(seen).toEqual({ method: 'POST', url: '/echo?q=%2F&x=1', body: 'hello' });
      expect(rawHeaders).toEqual([
        ...['host', 'localhost:9000', 'cookie', 'of=the-service', 'x-twice', 'a', 'x-twice', 'b'],
        ...['Content-Length', '5', 'Connection', 'close'],
      ]);
    });

    it.each<[Record<string, string>]>([[{ 'content-length': '20971520' }], [{}]])(
      'takes an upload as it comes: %j',
      async (headers) => {
        const body = randomBytes(20 * 1024 * 1024);
        const told = await workload.ask('/digest', {
          method: 'PUT',
          headers: { expect: '100-continue', ...headers },
          body,
        });
        expect(JSON.parse(told.body)).toEqual({
          size: body.length,
          sha256: createHash('sha256').update(body).digest('hex'),
          length: headers['content-length'] ?? null,
        });
      },
    );

    it('answers while it is still being asked', async () => {
      const sent = workload.open('/mirror', { method: 'POST' });
      sent.write('one');
      const answer = await answerOf(sent);
      expect(String((await once(answer, 'data'))[0])).toBe('one');
      sent.write('two');
      expect(String((await once(answer, 'data'))[0])).toBe('two');
      sent.end();
      await once(answer, 'end');
    });

    it('streams events, and learns that the visitor has left', async () => {
      const sent = workload.open('/events');
      sent.end();
      const answer = await answerOf(sent);
      expect(answer.headers).toMatchObject({ 'content-type': 'text/event-stream' });
      expect(String((await once(answer, 'data'))[0])).toMatch(/^data: /);
      sent.destroy();
      await left(1);
    });

    it('sends its head at once, a large body whole, and no more than the head to HEAD', async () => {
      const quiet = workload.open('/quiet');
      quiet.end();
      expect((await answerOf(quiet)).statusCode).toBe(200);
      quiet.destroy();
      expect((await workload.ask('/large')).body).toHaveLength(32 * 1024 * 1024);
      expect(await workload.ask('/echo', { method: 'HEAD' })).toMatchObject({ status: 200, body: '' });
    });

    it('is a WebSocket: both ways, until either side ends it', async () => {
      const { answer, socket, first } = await webSocket('/socket');
      expect(answer.headers).toMatchObject({ upgrade: 'websocket', 'sec-websocket-accept': 'x' });
      expect(first).toBe('first ');
      expect(workload.output).not.toMatch(/upgraded .*x-service-request/);
      socket.write('hello');
      expect(String((await once(socket, 'data'))[0])).toBe('hello');
      socket.write('leave');
      expect(String((await once(socket, 'data'))[0])).toBe('bye');
      await once(socket, 'end');

      await left(1);
      const other = await webSocket('/socket');
      other.socket.destroy();
      await left(1);
    });

    it('may refuse to switch to a WebSocket', async () => {
      const sent = workload.open('/refuses', { headers: webSocketHeaders });
      sent.end();
      expect(await toldBy(await answerOf(sent))).toMatchObject({ status: 403, body: 'no' });
    });

    it('cuts off what it does not finish', async () => {
      await expect(workload.ask('/cut')).rejects.toThrow('aborted');
    });

    it('may answer before it has read everything', async () => {
      const sent = workload.open('/early', { method: 'POST' });
      sent.write('x'.repeat(1000));
      expect(await toldBy(await answerOf(sent))).toMatchObject({ status: 413, body: 'too large' });
      sent.destroy();
    });

    it('is asked for 64 things at a time; more are told so, until a visitor leaves', async () => {
      const before = timesSaid('held');
      const held = Array.from({ length: 64 }, () => workload.open('/hold'));
      for (const each of held) {
        each.on('error', () => undefined).end();
      }
      await eventually(() => expect(timesSaid('held') - before).toBe(64));
      const refused = await workload.ask('/echo');
      expect(refused).toMatchObject({ status: 503, headers: { 'x-service-failure': 'busy' } });
      for (const each of held) {
        each.destroy();
      }
      await left(held.length);
      await eventually(async () => expect((await workload.ask('/echo')).status).toBe(200));
    });

    it('is reached again through a gateway that was killed', async () => {
      workload.gateway?.kill('SIGKILL');
      await workload.startGateway();
      expect(await workload.ask('/echo')).toMatchObject({ status: 200 });
    });
  });
}

/** Waits until so many visitors more have left, as the service sees it. */
async function left(count: number): Promise<void> {
  leftBefore += count;
  await eventually(() => expect(timesSaid('left')).toBe(leftBefore));
}

const timesSaid = (word: string): number => workload.output.split(`${word}\n`).length - 1;

async function webSocket(
  target: string,
): Promise<{ answer: IncomingMessage; socket: Socket; first: string }> {
  const sent = workload.open(target, { headers: webSocketHeaders });
  sent.end();
  const [answer, socket, head] = await once(sent, 'upgrade');
  socket.on('error', () => undefined);
  const first = head.length > 0 ? head : (await once(socket, 'data'))[0];
  return { answer, socket, first: String(first) };
}

describe('a gateway', () => {
  const relay = () => [process.execPath, programs.relay];
  beforeEach(() => {
    workload = new ServiceWorkload(programs, relay());
  });
  afterEach(() => workload.stop());

  it('sends nothing to the service that is not signed for exactly this, now', async () => {
    await workload.start(webService);
    const sign = (method: string, target: string, atMs = Date.now()) =>
      workload.signatureOf(method, target, atMs);
    const right = sign('GET', '/echo');
    const refused: [string, string | string[] | null][] = [
      ['none', null],
      ['empty', ''],
      ['of another method', sign('POST', '/echo')],
      ['of another path', sign('GET', '/other')],
      ['of another query', sign('GET', '/echo?a=1')],
      ['too old', sign('GET', '/echo', Date.now() - 61_000)],
      ['of a later time', sign('GET', '/echo', Date.now() + 61_000)],
      ['of another key', signServiceRequest('b3RoZXI', { method: 'GET', target: '/echo', atMs: Date.now() })],
      ['of a changed time', right.replace(/^\d+/, (time) => String(Number(time) + 1))],
      ['with more behind it', `${right}, ${right}`],
      ['in capitals', right.toUpperCase()],
    ];
    for (const [what, signature] of refused) {
      for (const headers of [{}, webSocketHeaders]) {
        const told = await workload.ask('/echo', { headers, signature: signature as string | null });
        expect({ what, status: told.status, connection: told.headers.connection }).toEqual({
          what,
          status: 401,
          connection: 'close',
        });
      }
    }
    const twice = { 'x-service-request': [right, right] };
    expect(await workload.ask('/echo', { headers: twice, signature: null })).toMatchObject({ status: 401 });
    const upload = { method: 'POST', headers: { expect: '100-continue' }, signature: null, body: 'x' };
    expect(await workload.ask('/echo', upload)).toMatchObject({ status: 401 });
    expect(workload.taken).toBe(0);
    expect(await workload.ask('/echo', { signature: right })).toMatchObject({ status: 200 });
  });

  it('says that a service does not listen yet, and passes requests on when it does', async () => {
    await workload.start(null);
    const waiting = workload.ask('/echo');
    expect(await waiting).toMatchObject({
      status: 503,
      headers: { 'x-service-failure': 'service_unreachable', 'content-type': 'text/plain; charset=utf-8' },
      body: 'The service does not take requests: it may be starting, or listen on another port.\n',
    });
    workload.startService(webService);
    await eventually(async () => expect((await workload.ask('/echo')).status).toBe(200));
  });

  it('outlives a service that crashes, whose relay ends with its exit code', async () => {
    await workload.start(webService);
    const ended = once(workload.relay ?? process, 'exit');
    expect(await workload.ask('/crash')).toMatchObject({ status: 503 });
    expect((await ended)[0]).toBe(3);
    expect(await workload.ask('/echo')).toMatchObject({ status: 503 });
    expect(workload.gateway?.exitCode).toBeNull();
  });

  it('ends in order, with what it has open', async () => {
    await workload.start(webService);
    const { socket } = await webSocket('/socket');
    const sent = workload.open('/events');
    sent.end();
    const answer = await answerOf(sent);
    answer.on('error', () => undefined).resume();
    const ends = (stream: NodeJS.EventEmitter) => new Promise((resolve) => stream.once('close', resolve));
    const ended = Promise.all([once(workload.gateway ?? process, 'exit'), ends(socket), ends(answer)]);
    socket.resume();
    workload.gateway?.kill('SIGTERM');
    const [[code]] = await ended;
    expect(code).toBe(0);
  });
});
