/** What a service, and who stands between the API and its gateway, might try against the gateway. */
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { residentBytes } from '../../support/process-costs.ts';
import { bundlePrograms } from './programs.ts';
import { ServiceWorkload, webSocketHeaders } from './service-workload.ts';

const ok = 'HTTP/1.1 200 OK\r\n';
const hint = 'HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n';
const switching = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n';

interface Answer {
  text: string;
  endless?: string;
  stays?: boolean;
}

/** Not HTTP, or HTTP that two readers could read differently. */
const broken: Record<string, Answer> = {
  garbage: { text: '\u0000\u0001 nothing of the kind\r\n\r\n' },
  otherProtocol: { text: 'SSH-2.0-OpenSSH_9.6\r\n', stays: true },
  twoLengths: { text: `${ok}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!` },
  lengthAndChunks: {
    text: `${ok}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`,
  },
  badLength: { text: `${ok}Content-Length: +5\r\n\r\nhello` },
  bareLineFeeds: { text: 'HTTP/1.1 200 OK\nX: y\n\nhello' },
  nullInHeader: { text: `${ok}X: a\u0000b\r\nContent-Length: 0\r\n\r\n` },
  controlInHeader: { text: `${ok}X: a\u0001b\r\nContent-Length: 0\r\n\r\n` },
  spaceBeforeColon: { text: `${ok}Content-Length : 5\r\n\r\nhello` },
  folded: { text: `${ok}X: a\r\n b\r\nContent-Length : 0\r\n\r\n` },
  endlessHead: { text: ok, endless: `X-More: ${'x'.repeat(1000)}\r\n` },
  endlessLine: { text: ok, endless: 'x'.repeat(1000) },
  manyHeaders: { text: `${ok}${'a: b\r\n'.repeat(101)}Content-Length: 0\r\n\r\n` },
  endlessHints: { text: hint, endless: hint },
  uninvitedSwitch: { text: `${switching}\r\nraw`, stays: true },
  status99: { text: 'HTTP/1.1 099 Odd\r\nContent-Length: 0\r\n\r\n' },
  status999: { text: 'HTTP/1.1 999 Odd\r\nContent-Length: 0\r\n\r\n' },
  halfAHead: { text: 'HTTP/1.1 200 OK\r\nContent-Le' },
};

const readable: Record<string, Answer> = {
  hinted: { text: `${hint}${hint}${ok}Content-Length: 2\r\n\r\nhi` },
  untilItsEnd: { text: `${ok}X: y\r\n\r\nall of it` },
  secondAnswer: {
    text: `${ok}Content-Length: 2\r\n\r\nhi${ok}Content-Length: 6\r\nSet-Cookie: a=b\r\n\r\nsecond`,
    stays: true,
  },
  trailers: {
    text: `${ok}Transfer-Encoding: chunked\r\nTrailer: X-Late\r\n\r\n2;ext=${'e'.repeat(100)}\r\nhi\r\n0\r\nX-Late: yes\r\nSet-Cookie: a=b\r\n\r\n`,
  },
  hopByHop: {
    text: `${ok}Connection: x-private, close\r\nX-Private: y\r\nKeep-Alive: timeout=1\r\nProxy-Authenticate: Basic\r\nUpgrade: h2c\r\nX-Service-Failure: busy\r\nX-Public: z\r\nContent-Length: 2\r\n\r\nhi`,
  },
  emptyWithLength: { text: 'HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello' },
  endlessTrailers: {
    text: `${ok}Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n`,
    endless: `X: ${'y'.repeat(1000)}\r\n`,
  },
  endlessExtension: { text: `${ok}Transfer-Encoding: chunked\r\n\r\n2;`, endless: 'e'.repeat(1000) },
  cutChunk: { text: `${ok}Transfer-Encoding: chunked\r\n\r\nff\r\nonly this` },
  cutLength: { text: `${ok}Content-Length: 100\r\n\r\nonly this` },
  endlessBody: { text: `${ok}\r\n`, endless: 'x'.repeat(64 * 1024) },
  closes: { text: '' },
  otherSwitch: {
    text: 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n',
    stays: true,
  },
  badSwitch: { text: `${switching}X: a\u0001b\r\n\r\n`, stays: true },
};

describe('a service that is hostile to its gateway', () => {
  let workload: ServiceWorkload;
  beforeAll(async () => {
    const programs = await bundlePrograms();
    const service = fileURLToPath(new URL('./hostile-service.mjs', import.meta.url));
    workload = new ServiceWorkload(programs, [process.execPath, programs.relay]);
    await workload.start(service, [JSON.stringify({ ...broken, ...readable })]);
  });
  afterAll(() => workload.stop());

  it.each(Object.keys(broken))('is taken for one that failed: %s', async (name) => {
    expect(await workload.ask(`/${name}`)).toMatchObject({
      status: 502,
      headers: { 'x-service-failure': 'service_failed' },
      body: 'The service did not answer as HTTP has it.\n',
    });
  });

  it('has its early hints left out, and only its first answer passed on', async () => {
    expect(await workload.ask('/hinted')).toMatchObject({ status: 200, body: 'hi' });
    expect(await workload.ask('/untilItsEnd')).toMatchObject({ status: 200, body: 'all of it' });
    const told = await workload.ask('/secondAnswer');
    expect(told).toMatchObject({ status: 200, body: 'hi' });
    expect(told.headers).not.toHaveProperty('set-cookie');
    expect(await workload.ask('/emptyWithLength')).toMatchObject({ status: 204, body: '' });
  });

  it('has what belongs to its own connection left out: framing, trailers, and what it says in the gateway’s name', async () => {
    const { trailers, headers, body } = await workload.ask('/trailers');
    expect({ trailers, body }).toEqual({ trailers: {}, body: 'hi' });
    expect(headers).not.toHaveProperty('trailer');
    const told = await workload.ask('/hopByHop');
    expect(told).toMatchObject({ body: 'hi', headers: { 'x-public': 'z', connection: 'close' } });
    for (const name of ['x-private', 'proxy-authenticate', 'upgrade', 'x-service-failure', 'date']) {
      expect(told.headers).not.toHaveProperty(name);
    }
  });

  it.each(['cutChunk', 'cutLength', 'endlessTrailers', 'endlessExtension'])(
    'has an answer cut off that it does not finish: %s',
    async (name) => {
      await expect(workload.ask(`/${name}`)).rejects.toThrow('aborted');
    },
  );

  it('is not there when it closes without a word', async () => {
    expect(await workload.ask('/closes')).toMatchObject({
      status: 503,
      headers: { 'x-service-failure': 'service_unreachable' },
    });
  });

  it.each(['otherSwitch', 'badSwitch', 'endlessHints', 'garbage'])(
    'switches to nothing but the WebSocket that it was asked for: %s',
    async (name) => {
      expect(await workload.ask(`/${name}`, { headers: webSocketHeaders })).toMatchObject({ status: 502 });
    },
  );

  it('fills no memory with an answer that nobody reads', async () => {
    const sent = workload.open('/endlessBody');
    sent.end();
    const answer = await new Promise<NodeJS.ReadableStream>((resolve) => sent.once('response', resolve));
    answer.pause();
    const pid = workload.gateway?.pid ?? 0;
    const before = residentBytes(pid);
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect(residentBytes(pid) - before).toBeLessThan(32 * 1024 * 1024);
    sent.on('error', () => undefined).destroy();
  });

  describe('and a request that two readers could read differently', () => {
    const head = (method: string, target: string, headers: string) =>
      `${method} ${target} HTTP/1.1\r\nHost: localhost\r\nX-Service-Request: ${workload.signatureOf(method, target)}\r\n${headers}\r\n`;
    const unsigned = 'GET /stolen HTTP/1.1\r\nHost: localhost\r\n\r\n';
    const chunked = 'Transfer-Encoding: chunked\r\n';
    const upgrade = 'Connection: Upgrade\r\nUpgrade:';
    const webSocket = `${upgrade} websocket\r\nSec-WebSocket-Key: x\r\nSec-WebSocket-Version: 13\r\n`;

    it.each<[string, number, () => string]>([
      [
        'with a length and chunks',
        400,
        () => `${head('POST', '/a', `Content-Length: 3\r\n${chunked}`)}0\r\n\r\n${unsigned}`,
      ],
      [
        'with two lengths',
        400,
        () => `${head('POST', '/a', 'Content-Length: 3\r\nContent-Length: 0\r\n')}abc`,
      ],
      [
        'with a coding of its own',
        400,
        () => `${head('POST', '/a', 'Transfer-Encoding: gzip, chunked\r\n')}0\r\n\r\n`,
      ],
      ['with another coding last', 400, () => head('POST', '/a', 'Transfer-Encoding: chunked, identity\r\n')],
      ['for a whole address', 400, () => head('GET', 'http://elsewhere/a', '')],
      ['to become HTTP/2', 501, () => head('GET', '/a', `${upgrade} h2c\r\nHTTP2-Settings: x\r\n`)],
      [
        'to become a WebSocket, with a body',
        501,
        () => head('GET', '/a', `${webSocket}Content-Length: 3\r\n`),
      ],
      ['to become a WebSocket, with more behind it', 501, () => `${head('GET', '/a', webSocket)}${unsigned}`],
      ['to become a WebSocket by POST', 501, () => head('POST', '/a', webSocket)],
      ['with more headers than anybody sends', 431, () => head('GET', '/a', 'a: b\r\n'.repeat(120))],
      [
        'with larger headers than anybody sends',
        431,
        () => head('GET', '/a', `a: ${'b'.repeat(40_000)}\r\n`),
      ],
      ['with a line feed in a header', 400, () => head('GET', '/a', 'A: b\nX: y\r\n')],
    ])('is refused and never sent on: %s', async (_, status, text) => {
      const before = workload.taken;
      expect(await workload.send(text())).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
      expect(workload.taken).toBe(before);
    });

    it('is closed without a word when it asks for a tunnel', async () => {
      const before = workload.taken;
      expect(await workload.send(head('CONNECT', 'localhost:80', ''))).toBe('');
      expect(workload.taken).toBe(before);
    });

    it('ends with its connection when another follows it before its answer', async () => {
      const answered = await workload.send(`${head('GET', '/hinted', '')}${unsigned}`);
      expect(answered).toBe('');
      expect(workload.output).not.toContain('stolen');
    });

    it('leaves a body behind for nobody', async () => {
      const body = `${unsigned}`;
      const text = head(
        'POST',
        '/hinted',
        `Content-Length: ${body.length}\r\nConnection: close, content-length\r\n`,
      );
      expect(await workload.send(text + body)).toMatch(/^HTTP\/1.1 200 /);
      const heard = workload.output.split('\n').filter((line) => line.startsWith('heard "POST /hinted'));
      expect(heard).toHaveLength(1);
      expect(heard[0]).toContain(`Content-Length: ${body.length}`);
    });
  });
});
