/** Previews of services: what reaches the service, and what of its answers reaches the browser. */
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.ts';
import {
  type OpenService,
  type ServicePreviews,
  servicePort,
  startServicePreviews,
} from '../../support/preview-services.ts';

let previews: ServicePreviews;
let service: OpenService;

beforeAll(async () => {
  previews = await startServicePreviews();
  service = await previews.open();
});
afterAll(() => previews.stop());

const page = { accept: 'text/html,*/*' };
/** As the pages of the preview send it. */
const own = { origin: 'null', 'sec-fetch-site': 'cross-site' };
const json = (body: string) => JSON.parse(body);

describe('a request to a service', () => {
  it('arrives signed, with its method, target and body', async () => {
    const body = 'text='.padEnd(100_000, 'x');
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const headers = { ...own, 'content-type': 'text/plain', 'content-length': String(body.length) };
      const answer = await service.send('/a%20b/%2e%2e/c?x=1&y=%00', headers, method, body);
      expect(answer.status).toBe(200);
      expect(json(answer.body)).toMatchObject({ method, url: '/a%20b/%2e%2e/c?x=1&y=%00', body });
    }
    const chunked = await service.send('/', { ...own, 'transfer-encoding': 'chunked' }, 'DELETE', body);
    expect(json(chunked.body)).toMatchObject({ method: 'DELETE', body });
    const empty = await service.send('/', own, 'POST');
    expect(json(empty.body)).toMatchObject({ method: 'POST', body: '', headers: { 'content-length': '0' } });
    expect(await service.send('/', {}, 'HEAD')).toMatchObject({ status: 200, body: '' });
    expect(await service.send('/', own, 'OPTIONS')).toMatchObject({ status: 200 });
    expect(service.standIn.refused).toBe(0);
  });

  it('has nothing of the person, of the platform or of proxies, and never the name of the preview', async () => {
    const kept = {
      cookie: previews.workspace.member.cookie,
      authorization: 'Bearer secret',
      'proxy-authorization': 'Basic secret',
      'x-forwarded-for': '203.0.113.7',
      'x-forwarded-host': service.host,
      'x-forwarded-user': 'max',
      'x-real-ip': '203.0.113.7',
      forwarded: 'for=203.0.113.7',
      via: '1.1 secret',
      'remote-user': 'max',
      'x-auth-request-email': 'max@example.com',
      'cf-access-jwt-assertion': 'secret',
      'x-amzn-oidc-identity': 'max',
      'x-goog-authenticated-user-email': 'max@example.com',
      'x-ms-client-principal': 'secret',
      'x-internal-token': 'secret',
      'x-control-request': 'secret',
      'x-service-request': '1.secret',
      'x-custom': 'secret',
      'sec-ch-ua-model': 'secret',
      referer: `http://${service.host}/`,
      origin: 'null',
      'hx-current-url': `http://${service.host.toUpperCase()}/a`,
      'x-pjax': service.label,
    };
    const passed = {
      accept: 'text/html',
      'accept-language': 'de',
      range: 'bytes=0-1',
      'if-none-match': '"a"',
      'last-event-id': '7',
      'user-agent': 'Browser',
      'x-requested-with': 'XMLHttpRequest',
      'x-csrf-token': 'its own',
      'hx-request': 'true',
      'next-action': 'abc',
      'x-inertia-version': '1',
    };
    await service.send('/seen', { ...kept, ...passed });
    const [seen] = service.standIn.arrived.filter(({ target }) => target === '/seen');
    const signature = String(seen?.headers['x-service-request']);
    expect(seen?.headers).toEqual({
      ...passed,
      host: `localhost:${servicePort}`,
      connection: 'close',
      'x-service-request': expect.stringMatching(/^\d+\.[0-9a-f]{64}$/),
    });
    expect(signature).not.toContain('secret');
    expect(JSON.stringify(service.standIn.arrived)).not.toContain(service.label);
  });

  it('must come from a page of the preview, or from none', async () => {
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: previews.api.url, 'sec-fetch-site': 'cross-site' },
      { origin: 'null', 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'cross-site' },
    ]) {
      const before = service.standIn.arrived.length;
      expect(await service.send('/post', headers, 'POST')).toMatchObject({ status: 403 });
      expect(service.standIn.arrived).toHaveLength(before);
    }
    expect(await service.send('/', { origin: 'https://evil.example' })).toMatchObject({ status: 403 });
    expect(await service.webSocket('/socket', { origin: 'https://evil.example' })).toMatchObject({
      status: 403,
      socket: null,
    });
    for (const headers of [own, {}, { origin: `http://${service.host}`, 'sec-fetch-site': 'same-origin' }]) {
      expect(await service.send('/post', headers, 'POST')).toMatchObject({ status: 200 });
    }
  });

  it('is permitted by the platform itself where a browser asks first', async () => {
    const before = service.standIn.arrived.length;
    const asked = {
      'access-control-request-method': 'PUT',
      'access-control-request-headers': 'Content-Type, X-CSRF-Token,authorization, cookie,x-custom,hx-target',
    };
    const answer = await service.send('/a', { ...own, ...asked }, 'OPTIONS');
    expect(answer).toMatchObject({
      status: 204,
      headers: {
        'access-control-allow-origin': 'null',
        'access-control-allow-headers': 'content-type, x-csrf-token, hx-target',
        'access-control-allow-methods': expect.stringContaining('PUT'),
      },
    });
    expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
    expect(await service.send('/a', { origin: 'https://evil.example', ...asked }, 'OPTIONS')).toMatchObject({
      status: 403,
    });
    expect(service.standIn.arrived).toHaveLength(before);
  });
});

describe('the answer of a service', () => {
  it('sets no cookie and no policy, and is held as the platform says', async () => {
    const said = {
      'set-cookie': ['platform_session=taken; Domain=localhost; Path=/', 'a=b'],
      'content-security-policy': 'frame-ancestors *',
      'content-security-policy-report-only': 'default-src *; report-uri https://evil.example',
      'x-frame-options': 'ALLOWALL',
      'access-control-allow-origin': '*',
      'access-control-allow-credentials': 'true',
      'access-control-allow-headers': '*',
      'cross-origin-opener-policy': 'unsafe-none',
      'cross-origin-resource-policy': 'same-origin',
      'permissions-policy': 'camera=*',
      'referrer-policy': 'unsafe-url',
      'cache-control': 'public, max-age=31536000, immutable',
      'clear-site-data': '"*"',
      'strict-transport-security': 'max-age=1',
      'alt-svc': 'h3="evil.example:443"',
      'service-worker-allowed': '/',
      refresh: '0; url=https://evil.example',
      'report-to': '{}',
      nel: '{}',
      'reporting-endpoints': 'a="https://evil.example"',
      'www-authenticate': 'Basic realm="Your platform password"',
      'x-accel-redirect': '/etc/passwd',
      'x-sendfile': '/etc/passwd',
      'x-request-id': 'mine',
      'x-content-type-options': 'sniff',
      'origin-agent-cluster': '?0',
    };
    service.standIn.on('/hostile', (_incoming, response) => {
      response.writeHead(200, { ...said, 'content-type': 'text/html', etag: '"1"', 'x-total-count': '7' });
      response.end('<p>');
    });
    const { status, headers, body } = await service.send('/hostile', page);
    expect({ status, body }).toEqual({ status: 200, body: '<p>' });
    expect(headers).toMatchObject({
      'content-type': 'text/html',
      etag: '"1"',
      'x-total-count': '7',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'cross-origin',
      'access-control-allow-origin': 'null',
      'access-control-expose-headers': '*',
      'origin-agent-cluster': '?1',
    });
    for (const name of Object.keys(said)) {
      expect({ name, value: headers[name] }).not.toEqual({ name, value: Object(said)[name] });
    }
    for (const name of ['set-cookie', 'access-control-allow-credentials', 'refresh', 'www-authenticate']) {
      expect(headers[name]).toBeUndefined();
    }
    const policy = String(headers['content-security-policy']);
    expect(policy).toMatch(/^sandbox allow-scripts allow-forms; default-src 'none'; /);
    expect(policy).toContain(`connect-src http://${service.host} ws://${service.host} data: blob:;`);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('*');
  });

  it.each([
    ['/next?a=1#b', '/next?a=1#b'],
    ['next', '/dir/next'],
    ['../up', '/up'],
    [`http://localhost:${servicePort}/x`, '/x'],
    [`http://127.0.0.1:${servicePort}/x`, '/x'],
    ['?q', '/dir/to?q'],
  ])('leads to %s', async (location, to) => {
    service.standIn.on('/dir/to', (_incoming, response) => response.writeHead(303, { location }).end());
    expect(await service.send('/dir/to')).toMatchObject({ status: 303, headers: { location: to } });
  });

  it.each([
    ['https://evil.example/'],
    ['//evil.example/'],
    ['/\\evil.example/'],
    [`http://localhost:${servicePort}//evil.example/`],
    [`https://localhost:${servicePort}/`],
    ['http://localhost:1/'],
    [`http://user@localhost:${servicePort}/`],
    ['javascript:alert(1)'],
    ['data:text/html,x'],
    ['http://169.254.169.254/'],
    ['http://['],
  ])('leads nowhere else: %s', async (location) => {
    service.standIn.on('/away', (_incoming, response) => response.writeHead(302, { location }).end('secret'));
    const answer = await service.send('/away', page);
    expect(answer).toMatchObject({ status: 502, body: expect.stringContaining('was not passed on') });
    expect(answer.headers['location']).toBeUndefined();
    expect(answer.body).not.toContain('secret');
  });

  it('has no parts with headers of their own, and is no upgrade that was not asked for', async () => {
    service.standIn.on('/parts', (_incoming, response) =>
      response.writeHead(200, { 'content-type': 'multipart/x-mixed-replace; boundary=a' }).end('--a\r\n'),
    );
    expect(await service.send('/parts')).toMatchObject({ status: 502 });
    service.standIn.on('/switch', (incoming) => {
      incoming.socket.end('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n');
    });
    expect(await service.send('/switch', page)).toMatchObject({ status: 503 });
    service.standIn.on('/halfway', (incoming) => {
      incoming.socket.end('HTTP/1.1 101 Switching Protocols\r\n\r\n');
    });
    expect((await service.send('/halfway', page)).status).toBeGreaterThanOrEqual(500);
    service.standIn.on('/hints', (_incoming, response) => {
      response.writeEarlyHints({ link: '<https://evil.example>; rel=preconnect' });
      response.writeProcessing();
      response.end('after');
    });
    const got = await service.raw('GET /hints HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n');
    expect(got).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(got).not.toContain('evil.example');
  });

  it('keeps its status and a body of no type, and none of its reason phrase', async () => {
    service.standIn.on('/teapot', (_incoming, response) =>
      response.writeHead(418, 'platform says hi').end('x'),
    );
    const got = await service.raw('GET /teapot HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n');
    expect(got).toMatch(/^HTTP\/1\.1 418 I'm a Teapot\r\n/);
    service.standIn.on('/unchanged', (_incoming, response) => response.writeHead(304, { etag: '"1"' }).end());
    expect(await service.send('/unchanged')).toMatchObject({
      status: 304,
      headers: { etag: '"1"' },
      body: '',
    });
    service.standIn.on('/head', (_incoming, response) =>
      response.writeHead(200, { 'content-length': 7 }).end(),
    );
    expect(await service.send('/head', {}, 'HEAD')).toMatchObject({
      status: 200,
      headers: { 'content-length': '7' },
    });
  });

  it('that breaks off is not taken for a whole one', async () => {
    service.standIn.on('/broken', (_incoming, response) => {
      response.writeHead(200, { 'content-length': 100 }).write('part', () => response.destroy());
    });
    await expect(service.send('/broken')).rejects.toThrow();
    service.standIn.on('/cut', (_incoming, response) => {
      response.write('part', () => response.destroy());
    });
    await expect(service.send('/cut')).rejects.toThrow();
  });
});

describe('what is written down of it', () => {
  it('is neither its path nor the name of the preview', async () => {
    await service.send('/private-path?token=1');
    const socket = (await service.webSocket()).socket;
    socket?.destroy();
    await eventually(() => {
      const lines = previews.api
        .logged()
        .split('\n')
        .filter((line) => line.includes('"route":"preview"'));
      expect(lines.some((line) => line.includes('"status":101'))).toBe(true);
      expect(lines.some((line) => line.includes('"status":200'))).toBe(true);
    });
    expect(previews.api.logged()).not.toMatch(/private-path|evil\.example/);
    expect(previews.api.logged()).not.toContain(service.label);
  });
});

describe('at the platform’s own hosts', () => {
  it.each([['h2c'], ['websocket'], ['TLS/1.3'], ['websocket, h2c']])(
    'an offered upgrade to %s is answered as if there were none, and the connection is used again',
    async (protocol) => {
      const { url } = previews.api;
      const statuses: unknown[] = [];
      const { Agent } = await import('node:http');
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const sockets = new Set<unknown>();
      for (const method of ['GET', 'POST', 'GET']) {
        const body = method === 'POST' ? JSON.stringify({ email: 'nobody' }) : '';
        await new Promise<void>((resolve, reject) => {
          const sent = request(`${url}${method === 'POST' ? '/api/auth/demo-sign-in' : '/api/health'}`, {
            ...{ agent, method },
            headers: {
              ...{
                connection: 'Upgrade, HTTP2-Settings',
                upgrade: protocol,
                'http2-settings': 'AAMAAABkAAQ',
              },
              ...(body === '' ? {} : { 'content-type': 'application/json', 'content-length': body.length }),
            },
          });
          sent.on('socket', (socket) => sockets.add(socket));
          sent.on('response', (answer) => {
            statuses.push(answer.statusCode);
            answer.resume().on('end', resolve);
          });
          sent.on('error', reject);
          sent.end(body);
        });
      }
      agent.destroy();
      expect(statuses).toEqual([200, 422, 200]);
    },
  );
});
