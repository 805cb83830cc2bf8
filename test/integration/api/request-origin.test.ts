/** Which requests of a browser are taken, by the host that they name and the page that sent them. */
import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type SessionApi, startSessionApi } from '../../support/session-api.ts';

let api: SessionApi;
beforeAll(async () => {
  api = await startSessionApi();
});
afterAll(() => api.stop());

/** A request with headers that `fetch` does not let a program set. */
function raw(method: string, path: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(api.url + path, { method, headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    sent.on('error', reject);
    sent.end(method === 'GET' ? undefined : '{}');
  });
}

describe('a request from a browser', () => {
  it('must name a host of the platform', async () => {
    const { port } = new URL(api.url);
    const hosts = [`localhost:${port}`, `127.0.0.1:${port}`, '[::1]', 'LOCALHOST'];
    for (const host of hosts) {
      expect(await raw('GET', '/api/me', { host })).toBe(401);
    }
    for (const host of ['evil.test', `evil.test:${port}`, '127.0.0.1.evil.test', 'localhost@evil.test']) {
      expect(await raw('GET', '/api/me', { host })).toBe(403);
    }
    expect(await raw('GET', '/api/health', { host: '10.0.0.7:8080' })).toBe(200);
  });

  it('may change something only from the same origin', async () => {
    const { port } = new URL(api.url);
    const { cookie } = await api.person();
    const send = (headers: Record<string, string>) => raw('POST', '/api/workspaces', { cookie, ...headers });
    const own = `http://127.0.0.1:${port}`;
    for (const headers of [{}, { origin: own }, { origin: own, 'sec-fetch-site': 'same-origin' }]) {
      // It passes the origin check and fails on the body's missing type.
      expect(await send(headers)).toBe(415);
    }
    const foreign = [
      { origin: 'https://evil.test' },
      { origin: 'null' },
      { origin: `http://localhost:${port}` },
      { origin: `https://127.0.0.1:${port}` },
      { origin: 'http://127.0.0.1:1' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
      { origin: own, 'sec-fetch-site': 'cross-site' },
    ];
    for (const headers of foreign) {
      expect(await send(headers)).toBe(403);
    }
  });

  it('may read nothing of a person from another origin, on no route', async () => {
    const { port } = new URL(api.url);
    const { cookie } = await api.person();
    const own = `http://127.0.0.1:${port}`;
    const paths = ['/api/me', '/api/me/stream', `/api/sessions/${randomUUID()}/events`];
    const foreign = [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
      { 'sec-fetch-site': 'something' },
      { origin: 'https://evil.test' },
      { origin: 'null' },
      { origin: `http://localhost:${port}` },
      { origin: own, 'sec-fetch-site': 'same-site' },
    ];
    for (const headers of foreign) {
      for (const path of paths) {
        expect(await raw('GET', path, { cookie, ...headers })).toBe(403);
      }
      expect(await raw('GET', '/api/me', headers)).toBe(403);
    }
    for (const headers of [
      {},
      { 'sec-fetch-site': 'none' },
      { 'sec-fetch-site': 'same-origin' },
      { origin: own },
    ]) {
      expect(await raw('GET', '/api/me', { cookie, ...headers })).toBe(200);
    }
  });

  it('is read by anybody where nobody is known, as by who is led back from signing in', async () => {
    const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };
    expect(await raw('GET', '/api/health', headers)).toBe(200);
    expect(await raw('GET', '/api/auth/options', headers)).toBe(200);
  });
});
