/** Previews of services: streams both ways, WebSockets, and what ends them. */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { Duplex, Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { removeMember } from '../../../commands/members/members.ts';
import type { Person } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';
import {
  type OpenService,
  type ServicePreviews,
  startServicePreviews,
} from '../../support/preview-services.ts';

let previews: ServicePreviews;
const mebibyte = 1024 * 1024;

beforeAll(async () => {
  previews = await startServicePreviews({ LIMIT_PREVIEW_BODY_BYTES: String(4 * mebibyte) });
});
afterAll(() => previews.stop());

const own = { origin: 'null', 'sec-fetch-site': 'cross-site' };

/** Begins a request and leaves it open. */
function begin(service: OpenService, path: string, method = 'GET', headers: Record<string, string> = {}) {
  const sent = request(previews.api.url, {
    path,
    method,
    agent: false,
    headers: { ...own, ...headers, host: service.host },
  });
  sent.on('error', () => undefined);
  if (method === 'GET') {
    sent.end();
  }
  const answer = once(sent, 'response').then(([given]) => {
    const incoming = given as IncomingMessage;
    return incoming.on('error', () => undefined);
  });
  // Where the test itself leaves, nobody waits for it.
  answer.catch(() => undefined);
  return { sent, answer };
}

const text = async (stream: Readable, until: number) => {
  let got = '';
  for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
    got += String(chunk);
    if (got.length >= until) {
      break;
    }
  }
  return got;
};

describe('a stream', () => {
  it('of events arrives piece by piece, until the visitor leaves', async () => {
    const service = await previews.open();
    let left = false;
    let say: (piece: string) => void = () => undefined;
    service.standIn.on('/events', (_incoming, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      response.on('close', () => (left = true));
      say = (piece) => response.write(piece);
    });
    const { sent, answer } = begin(service, '/events', 'GET', { accept: 'text/event-stream' });
    const events = await answer;
    expect(events.headers).toMatchObject({ 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' });
    for (const piece of ['data: 1\n\n', 'data: 2\n\n', 'data: 3\n\n']) {
      const arrived = once(events, 'data');
      say(piece);
      expect(String((await arrived)[0])).toBe(piece);
    }
    sent.destroy();
    await eventually(() => expect(left).toBe(true));
  });

  it('of an upload reaches the service while it is sent, as fast as the service reads', async () => {
    const service = await previews.open();
    const pieces: string[] = [];
    let reading: IncomingMessage | undefined;
    service.standIn.on('/upload', (incoming, response) => {
      reading = incoming;
      incoming.on('data', (chunk) => pieces.push(String(chunk)));
      incoming.on('end', () => response.end(String(pieces.join('').length)));
    });
    const { sent, answer } = begin(service, '/upload', 'POST', { 'transfer-encoding': 'chunked' });
    sent.write('first');
    await eventually(() => expect(pieces.join('')).toBe('first'));
    reading?.pause();
    // Nobody reads it: not all of it fits between here and there.
    const flushed = new Promise<void>((resolve) =>
      sent.write(Buffer.alloc(4 * mebibyte - 5, 'x'), () => resolve()),
    );
    reading?.resume();
    await flushed;
    sent.end();
    expect(await text(await answer, 7)).toBe(String(4 * mebibyte));
  });

  it('of a large answer waits for a visitor who reads slowly, and takes no memory for the rest', async () => {
    const service = await previews.open();
    const size = 64 * mebibyte;
    let wrote = 0;
    service.standIn.on('/large', (_incoming, response) => {
      const piece = Buffer.alloc(256 * 1024, 'x');
      const more = () => {
        while (wrote < size) {
          wrote += piece.length;
          if (!response.write(piece)) {
            response.once('drain', more);
            return;
          }
        }
        response.end();
      };
      more();
    });
    const { answer } = begin(service, '/large');
    const slow = await answer;
    await once(slow, 'readable');
    await eventually(() => expect(wrote).toBeGreaterThan(mebibyte));
    expect(wrote).toBeLessThan(size / 2);
    let read = 0;
    for await (const chunk of slow) {
      read += chunk.length;
    }
    expect(read).toBe(size);
  });

  it('of an upload ends with the visitor, also half-way', async () => {
    const service = await previews.open();
    let ended: string | undefined;
    let began = false;
    service.standIn.on('/upload', (incoming) => {
      began = true;
      incoming.on('error', () => undefined).resume();
      incoming.on('end', () => (ended = 'whole')).on('close', () => (ended ??= 'cut'));
    });
    const { sent } = begin(service, '/upload', 'POST', { 'content-length': '1000' });
    sent.write('part');
    await eventually(() => expect(began).toBe(true));
    sent.destroy();
    await eventually(() => expect(ended).toBe('cut'));
  });

  it.each([['content-length'], ['transfer-encoding']])(
    'of an upload beyond the limit is refused (%s)',
    async (by) => {
      const service = await previews.open();
      const size = 4 * mebibyte + 1;
      const headers = { ...own, [by]: by === 'content-length' ? String(size) : 'chunked' };
      const { sent, answer } = begin(service, '/', 'POST', headers);
      sent.write(Buffer.alloc(size, 'x'));
      const refused = await answer;
      expect(refused.statusCode).toBe(413);
      expect(await text(refused, 10)).toContain('The limit is 4194304 bytes');
      await eventually(async () => expect(await service.standIn.connections()).toBe(0));
    },
  );

  it('is answered before the upload is complete: the rest is not sent on', async () => {
    const service = await previews.open();
    let got = 0;
    service.standIn.on('/early', (incoming, response) => {
      incoming.once('data', (chunk) => {
        got = chunk.length;
        response.writeHead(401).end('no');
        incoming.on('data', (more) => (got += more.length));
      });
    });
    const { sent, answer } = begin(service, '/early', 'POST', { 'content-length': String(2 * mebibyte) });
    sent.write('first');
    const early = await answer;
    expect(early.statusCode).toBe(401);
    expect(await text(early, 2)).toBe('no');
    await new Promise<void>((resolve) => sent.end(Buffer.alloc(2 * mebibyte - 5), () => resolve()));
    expect(got).toBe(5);
    await eventually(async () => expect(await service.standIn.connections()).toBe(0));
  });

  it('is not asked for by a client that waits for leave to send', async () => {
    const service = await previews.open();
    const head =
      'POST / HTTP/1.1\r\nHost: HOST\r\nOrigin: null\r\nExpect: 100-continue\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi';
    const got = await service.raw(head);
    expect(got).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK/);
    expect(got).toContain('"body":"hi"');
    expect(service.standIn.arrived[0]?.headers['expect']).toBeUndefined();
  });
});

const say = async (socket: Duplex | null, said: string) => {
  socket?.write(said);
  return socket === null ? '' : text(socket, said.length);
};

describe('a WebSocket', () => {
  it('is opened with what belongs to its handshake and nothing else, and copies both ways', async () => {
    const service = await previews.open();
    const { status, headers, socket } = await service.webSocket('/socket', {
      'sec-websocket-protocol': 'vite-hmr',
      cookie: previews.workspace.member.cookie,
      authorization: 'Bearer secret',
    });
    expect(status).toBe(101);
    expect(headers).toMatchObject({
      upgrade: 'websocket',
      'sec-websocket-accept': 's3pPLMBiTxaQ9kYGzzhZRbK+xOo=',
      'sec-websocket-protocol': 'vite-hmr',
    });
    expect(headers['set-cookie']).toBeUndefined();
    expect(headers['x-of-the-service']).toBeUndefined();
    const [seen] = service.standIn.arrived;
    expect(Object.keys(seen?.headers ?? {}).toSorted()).toEqual([
      ...['connection', 'host', 'sec-websocket-key', 'sec-websocket-protocol', 'sec-websocket-version'],
      ...['upgrade', 'x-service-request'],
    ]);
    expect(await say(socket, 'hello')).toBe('hello');
    const large = 'x'.repeat(3 * mebibyte);
    expect((await say(socket, large)).length).toBe(large.length);
    socket?.end();
    await once(socket as Duplex, 'close');
    await eventually(async () => expect(await service.standIn.connections()).toBe(0));
  });

  it('that the service refuses has its answer, and a connection that ends', async () => {
    const service = await previews.open();
    const refused = await service.webSocket('/elsewhere');
    expect(refused).toMatchObject({ status: 403, socket: null, body: 'no' });
    expect(refused.headers).toMatchObject({ connection: 'close' });
    expect(refused.headers['set-cookie']).toBeUndefined();
    await eventually(async () => expect(await service.standIn.connections()).toBe(0));
  });

  it('is not opened where there is no preview, by another method, or for another protocol', async () => {
    const service = await previews.open();
    const files = await service.webSocket('/socket', { host: `${'0'.repeat(40)}.${service.host.slice(41)}` });
    expect(files).toMatchObject({ status: 404, socket: null });
    expect(await service.webSocket('/socket', { upgrade: 'h2c' })).toMatchObject({
      status: 200,
      socket: null,
    });
    const posted = await service.raw(
      'POST /socket HTTP/1.1\r\nHost: HOST\r\nOrigin: null\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\nContent-Length: 2\r\n\r\nhi',
    );
    expect(posted).toMatch(/^HTTP\/1\.1 200 OK/);
    expect(posted).toContain('"body":"hi"');
    // Its bytes would be taken for a part of the conversation.
    const withBody = await service.raw(
      'GET /socket HTTP/1.1\r\nHost: HOST\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\nContent-Length: 2\r\n\r\nhi',
    );
    expect(withBody).toMatch(/^HTTP\/1\.1 200 OK/);
    expect(service.standIn.arrived.every(({ headers }) => headers.upgrade === undefined)).toBe(true);
  });
});

describe('what is open', () => {
  const endings: [string, (service: OpenService, who: Person) => Promise<unknown>][] = [
    ['signs out', (_service, who) => who.ok('POST', '/api/auth/sign-out', {})],
    [
      'leaves the workspace',
      (_service, who) =>
        removeMember(previews.api.db, {
          ...{ workspaceId: previews.workspace.workspace.id, userId: who.user.id },
          by: { type: 'user', id: previews.workspace.admin.user.id },
        }),
    ],
    [
      'keeps it too long',
      ({ id }) =>
        previews.api
          .db('preview_openings')
          .where({ preview_id: id })
          .update({ expires_at: new Date(0).toISOString() }),
    ],
    [
      'ends the preview',
      ({ id }) => previews.api.db('previews').where({ id }).update({ ended_at: new Date().toISOString() }),
    ],
    [
      'ends the session',
      ({ session }) =>
        previews.api
          .db('sessions')
          .where({ id: session })
          .update({ status: 'completed', ended_at: new Date().toISOString() }),
    ],
    [
      'stops the service',
      ({ id }) =>
        previews.api
          .db('preview_services')
          .where({ preview_id: id })
          .update({ state: 'stopped', address: null, stopped_at: new Date().toISOString() }),
    ],
  ];

  it(`is closed when somebody ${endings.map(([what]) => what).join(', ')}`, async () => {
    const untouched = await previews.open();
    const kept = await untouched.webSocket();
    const open = await Promise.all(
      endings.map(async ([what, finish]) => {
        const who = await previews.api.person(what);
        await previews.api.join(previews.workspace.workspace, who, 'member');
        const service = await previews.open({ who });
        service.standIn.on('/events', (_incoming, response) => response.writeHead(200).flushHeaders());
        const { socket } = await service.webSocket();
        const events = await begin(service, '/events').answer;
        expect(await say(socket, 'hello')).toBe('hello');
        await finish(service, who);
        return { what, service, socket, events };
      }),
    );
    for (const { what, service, socket, events } of open) {
      await eventually(() =>
        expect({ what, socket: socket?.destroyed, events: events.destroyed }).toEqual({
          what,
          socket: true,
          events: true,
        }),
      );
      const after = await service.send('/', { accept: 'text/html' });
      expect({ what, gone: [404, 410].includes(after.status ?? 0) }).toEqual({ what, gone: true });
      await eventually(async () => expect(await service.standIn.connections()).toBe(0));
    }
    expect(await say(kept.socket, 'still')).toBe('still');
    kept.socket?.destroy();
  });
});
