/** Previews of services: those that do not run, limits, and requests that are not what they seem. */
import { once } from 'node:events';
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.ts';
import {
  openWebSocket,
  rawRequest,
  type ServicePreviews,
  startServicePreviews,
} from '../../support/preview-services.ts';

let previews: ServicePreviews;

beforeAll(async () => {
  previews = await startServicePreviews();
});
afterAll(() => previews.stop());

const page = { accept: 'text/html,application/xhtml+xml' };
const own = { origin: 'null', 'sec-fetch-site': 'cross-site' };

describe('a service that does not run', () => {
  it.each([['pending'], ['starting']])('because it is %s is waited for', async (state) => {
    const service = await previews.open({ state });
    const waiting = await service.send('/a', page);
    expect(waiting).toMatchObject({
      ...{ status: 503, body: expect.stringContaining('The service is starting') },
      headers: { refresh: '2', 'content-security-policy': expect.stringMatching(/sandbox allow-scripts$/) },
    });
    for (const [headers, method] of [
      [{}, 'GET'],
      [page, 'HEAD'],
      [{ ...page, ...own }, 'POST'],
    ] as const) {
      const other = await service.send('/a', headers, method);
      expect(other).toMatchObject({ status: 503, headers: { 'retry-after': '2' } });
      expect(other.headers['refresh']).toBeUndefined();
    }
    expect(await service.webSocket()).toMatchObject({ status: 503, socket: null });
  });

  it.each([['stopped'], ['failed']])('because it has %s is over', async (state) => {
    const service = await previews.open({ state });
    await previews.api
      .db('preview_services')
      .where({ preview_id: service.id })
      .update({ reason: 'a secret of it' });
    for (const method of ['GET', 'POST']) {
      const over = await service.send('/a', { ...page, ...own }, method);
      expect(over).toMatchObject({ status: 410, body: expect.stringContaining('The service has ended') });
      expect(over.body).not.toContain('secret');
      expect(over.headers['refresh']).toBeUndefined();
    }
  });

  it('with its session is not asked any more', async () => {
    const service = await previews.open();
    expect(await service.send('/')).toMatchObject({ status: 200 });
    await previews.api
      .db('sessions')
      .where({ id: service.session })
      .update({ status: 'completed', ended_at: new Date().toISOString() });
    expect(await service.send('/')).toMatchObject({ status: 410 });
    expect(service.standIn.arrived).toHaveLength(1);
  });

  it('yet, because no gateway answers, is waited for', async () => {
    const service = await previews.open();
    service.standIn.on('/reset', (incoming) => incoming.socket.destroy());
    expect(await service.send('/reset', page)).toMatchObject({ status: 503, headers: { refresh: '2' } });
    service.standIn.close();
    expect(await service.send('/', page)).toMatchObject({ status: 503, headers: { refresh: '2' } });
    expect(await service.send('/', own, 'POST')).toMatchObject({ status: 503 });
  });

  it.each([
    [503, 503, 'The service is starting'],
    [504, 504, 'does not answer'],
    [502, 502, 'was not passed on'],
    [401, 502, 'was not passed on'],
    [501, 502, 'was not passed on'],
    [431, 400, 'cannot be passed on'],
    [400, 400, 'cannot be passed on'],
  ])(
    'or cannot be asked is told by its gateway with %i, and by the platform with %i',
    async (said, told, words) => {
      const service = await previews.open();
      service.standIn.on('/failed', (_incoming, response) =>
        response.writeHead(said, { 'x-service-failure': 'a_code' }).end('words of the gateway'),
      );
      const answer = await service.send('/failed', page);
      expect(answer).toMatchObject({ status: told, body: expect.stringContaining(words) });
      expect(answer.body).not.toContain('words of the gateway');
      expect(answer.headers['x-service-failure']).toBeUndefined();
    },
  );
});

describe('a service with much to say before its answer', () => {
  it('is heard as far as its gateway listens to it', async () => {
    const service = await previews.open();
    service.standIn.on('/head', (_incoming, response) =>
      response.writeHead(200, { 'x-long': 'a'.repeat(30 * 1024) }).end('its answer'),
    );
    const { port, hostname } = new URL(previews.api.url);
    const sent = request({
      port,
      hostname,
      path: '/head',
      headers: { host: service.host },
      maxHeaderSize: 65_536,
    });
    const [answer] = await once(sent.end(), 'response');
    expect(answer.statusCode).toBe(200);
    answer.resume();
  });
});

describe('who may not read the preview', () => {
  it('does not reach its service, by any method or upgrade', async () => {
    const { api, workspace } = previews;
    const service = await previews.open({ audience: 'session' });
    const member = await api.person('Other Member');
    await api.join(workspace.workspace, member, 'member');
    const foreign = await previews.openAs(service, member);
    const expired = await previews.openAs(service, workspace.admin);
    await api
      .db('preview_openings')
      .where({ sign_in_id: expired.signInId })
      .update({ expires_at: new Date(0).toISOString() });
    for (const visitor of [foreign, expired]) {
      for (const method of ['GET', 'POST', 'OPTIONS', 'DELETE']) {
        expect(await visitor.send('/', own, method)).toMatchObject({ status: 404 });
      }
      const asked = { ...own, 'access-control-request-method': 'PUT' };
      expect(await visitor.send('/', asked, 'OPTIONS')).toMatchObject({ status: 404 });
      expect(await visitor.webSocket()).toMatchObject({ status: 404, socket: null });
    }
    expect(service.standIn.arrived).toEqual([]);
    expect(await service.send('/')).toMatchObject({ status: 200 });
  });

  it('is anybody at another host: what counts is the host of the request, and one only', async () => {
    const service = await previews.open();
    const other = await previews.open();
    const { url } = previews.api;
    const { host, port } = new URL(url);
    for (const wrong of [
      host,
      `localhost:${port}`,
      `${service.label}.example.com`,
      `${service.label}.localhost.example.com`,
    ]) {
      expect((await openWebSocket(url, '/socket', { host: wrong })).socket).toBeNull();
    }
    await service.raw(`GET / HTTP/1.1\r\nHost: ${host}\r\nHost: HOST\r\nConnection: close\r\n\r\n`);
    await service.raw(
      `GET / HTTP/1.1\r\nHost: ${host}\r\nX-Forwarded-Host: HOST\r\nConnection: close\r\n\r\n`,
    );
    await service.raw(`GET http://HOST/ HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    expect(service.standIn.arrived).toEqual([]);
    for (const target of [`http://${host}/api/me`, 'http://HOST/', '*', 'https://evil.example/']) {
      const got = await service.raw(`OPTIONS ${target} HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n`);
      expect(got).toMatch(/^HTTP\/1\.1 400 /);
    }
    expect(await service.raw('CONNECT evil.example:80 HTTP/1.1\r\nHost: HOST\r\n\r\n')).toBe('');
    expect(await service.raw('GET /ä HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n')).toMatch(
      /^HTTP\/1\.1 400 /,
    );
    expect(service.standIn.arrived).toEqual([]);
    // The routes of the platform are the service's paths here.
    expect(await service.send('/api/me')).toMatchObject({
      status: 200,
      headers: { 'content-type': 'application/json' },
    });
    expect(other.standIn.arrived).toEqual([]);
  });
});

describe('a request that hides another one', () => {
  const hidden = 'GET /hidden HTTP/1.1\r\nHost: x\r\n\r\n';
  it.each([
    ['two lengths', `Content-Length: 0\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`],
    ['a list of lengths', `Content-Length: 0, ${hidden.length}\r\n\r\n${hidden}`],
    ['a length and chunks', `Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${hidden}`],
    ['chunks and a length', `Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n${hidden}`],
    ['another coding', `Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${hidden}`],
    ['chunks not last', `Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${hidden}`],
    ['a space before the colon', `Content-Length : ${hidden.length}\r\n\r\n${hidden}`],
    ['a signed length', `Content-Length: +5\r\n\r\n${hidden}`],
    ['a length in hexadecimal', `Content-Length: 0x5\r\n\r\n${hidden}`],
    ['a bare line feed', `X-A: b\nContent-Length: 5\r\n\r\n${hidden}`],
    ['a wrong chunk', `Transfer-Encoding: chunked\r\n\r\n5;\n\r\nhello0\r\n\r\n${hidden}`],
  ])('by %s is refused', async (_by, rest) => {
    const service = await previews.open();
    const got = await service.raw(`POST /seen HTTP/1.1\r\nHost: HOST\r\nOrigin: null\r\n${rest}`, (answer) =>
      answer.includes('/hidden'),
    );
    expect(got).toMatch(/^HTTP\/1\.1 400 /);
    expect(service.standIn.arrived.filter(({ target }) => target !== '/seen')).toEqual([]);
  });

  it('by a folded line arrives as one line, or not at all', async () => {
    const service = await previews.open();
    await service.raw(
      'GET /seen HTTP/1.1\r\nHost: HOST\r\nX-Csrf-Token: a\r\n Cookie: b\r\n\tTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n',
    );
    for (const { headers } of service.standIn.arrived) {
      expect(headers['cookie']).toBeUndefined();
      expect(headers['transfer-encoding']).toBeUndefined();
    }
    expect(service.standIn.refused).toBe(0);
  });

  it('behind a refused upgrade is not taken for one', async () => {
    const service = await previews.open();
    const got = await service.raw(
      `GET /elsewhere HTTP/1.1\r\nHost: HOST\r\nOrigin: null\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 777\r\nSec-WebSocket-Key: a\r\n\r\n${hidden}`,
    );
    expect(got.match(/HTTP\/1\.1 /g)).toHaveLength(1);
    expect(service.standIn.arrived.map(({ target }) => target)).toEqual(['/elsewhere']);
    // And one behind a request that is not answered yet.
    service.standIn.on('/slow', () => undefined);
    const upgrade = 'GET /socket HTTP/1.1\r\nHost: HOST\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
    const both = await service.raw(`GET /slow HTTP/1.1\r\nHost: HOST\r\n\r\n${upgrade}`);
    expect(both).toBe('');
  });
});

describe('many connections', () => {
  it('of one preview, person or workspace, or of all, are refused beyond their limits, which recover', async () => {
    const { api, workspace } = previews;
    const people = await Promise.all(Array.from({ length: 5 }, () => api.person()));
    const workspaces = [workspace, await api.workspace(), await api.workspace()];
    // Each person opens two, and the people of a workspace four.
    const many = [];
    for (const [at, person] of [0, 0, 1, 1, 2, 2, 3, 3, 4].map((each) => people[each]).entries()) {
      const within = workspaces[at >> 2];
      if (person && within) {
        await api.join(within.workspace, person, 'member');
        many.push(await previews.open({ who: person, within }));
      }
    }
    const [third, second] = [many[2], many[1]];
    const sockets = [];
    for (const service of many) {
      for (let count = 0; count < 32; count += 1) {
        const opened = await service.webSocket();
        if (opened.socket === null) {
          break;
        }
        sockets.push(opened.socket);
      }
      if (service === second) {
        const same = third && people[0] && (await previews.openAs(third, people[0]));
        expect(await same?.send('/')).toMatchObject({
          status: 429,
          body: expect.stringContaining('The limit is 64 connections to services of previews per visitor'),
        });
      }
      if (service === many[3]) {
        const fifth = await previews.open();
        expect(await fifth.send('/')).toMatchObject({
          status: 429,
          body: expect.stringContaining('The limit is 128 connections to services of previews per workspace'),
        });
      }
    }
    expect(sockets.length).toBe(256);
    const [first, last] = [many[0], many[8]];
    expect(await last?.send('/')).toMatchObject({
      ...{ status: 429, headers: { 'retry-after': '2' } },
      body: expect.stringContaining('The limit is 256 connections to services of previews of all users'),
    });
    // The platform itself answers.
    expect(await previews.api.anonymous.send('GET', '/api/health')).toMatchObject({ status: 200 });
    sockets.pop()?.destroy();
    await eventually(async () => expect(await last?.send('/')).toMatchObject({ status: 200 }));
    expect(await first?.webSocket()).toMatchObject({
      ...{ status: 429, socket: null },
      body: expect.stringContaining('The limit is 32 connections to services of previews per preview'),
    });
    for (const socket of sockets) {
      socket.destroy();
    }
    await eventually(async () => expect(await first?.send('/')).toMatchObject({ status: 200 }));
    await eventually(async () => expect(await first?.standIn.connections()).toBe(0));
  });

  it('from one address are limited as all requests at previews, upgrades too', async () => {
    const limited = await startServicePreviews({ RATE_PREVIEW_REQUESTS_PER_MINUTE: '3' });
    const service = await limited.open();
    const statuses = [];
    for (let count = 0; count < 6; count += 1) {
      const { status, socket } = await service.webSocket();
      statuses.push(status);
      socket?.destroy();
    }
    expect(statuses.slice(0, 3)).toEqual([101, 101, 101]);
    expect(statuses).toContain(429);
    await limited.stop();
  });

  it('that are asked for ahead reach the service one after the other, and none when their visitor has left', async () => {
    const service = await previews.open();
    const { arrived } = service.standIn;
    service.standIn.on('/events', (_incoming, response) => void response.write('first'));
    const ask = (path: string) => `GET ${path} HTTP/1.1\r\nHost: HOST\r\n\r\n`;
    await service.raw(ask('/') + ask('/events') + ask('/ahead').repeat(6), (got) => got.includes('first'));
    await eventually(async () => expect(await service.send('/')).toMatchObject({ status: 200 }));
    await eventually(async () => expect(await service.standIn.connections()).toBe(0));
    expect(arrived.filter(({ target }) => target === '/ahead')).toEqual([]);
    const all = await Promise.all(Array.from({ length: 32 }, () => service.send('/')));
    expect(all.map(({ status }) => status)).toEqual(all.map(() => 200));
  });

  it('end with the server, upgraded ones too', async () => {
    const stopping = await startServicePreviews();
    const service = await stopping.open();
    const { socket } = await service.webSocket();
    const closed = socket === null ? Promise.resolve() : once(socket, 'close');
    await Promise.all([stopping.stop(), closed]);
    await expect(rawRequest(Number(new URL(stopping.api.url).port), '')).rejects.toThrow('ECONNREFUSED');
  });
});

describe('a service that never answers', () => {
  it('is given up after a while, and the visitor is told', async () => {
    const service = await previews.open();
    service.standIn.on('/never', (incoming) => void incoming.resume());
    const [read, posted] = await Promise.all([
      service.send('/never', page),
      service.send('/never', { ...own, 'content-length': '4' }, 'POST', 'body'),
    ]);
    for (const answer of [read, posted]) {
      expect(answer).toMatchObject({ status: 504, body: expect.stringContaining('does not answer') });
    }
    await eventually(async () => expect(await service.standIn.connections()).toBe(0));
  });
});
