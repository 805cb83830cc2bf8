import { request } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as z from 'zod';
import { anySignedIn } from '../../../api/policies/access.ts';
import { defineRoute } from '../../../api/route.ts';
import { caller, startTestApi, type TestApi } from '../../support/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ LIMIT_BODY_BYTES: '2000' }, () => [
    defineRoute({
      method: 'post',
      path: '/test/fails',
      summary: 'A handler with a defect',
      scope: 'user',
      access: anySignedIn,
      body: z.object({ secret: z.string() }),
      response: z.strictObject({ ok: z.boolean() }),
      handler: async ({ body }) => {
        throw Object.assign(new Error('boom in the handler'), { detail: body.secret });
      },
    }),
    defineRoute({
      method: 'get',
      path: '/test/leaks',
      summary: 'An answer with a field too many',
      scope: 'user',
      access: anySignedIn,
      response: z.strictObject({ ok: z.boolean() }),
      handler: async () => ({ ok: true, sealed_value: 'must-not-leave' }),
    }),
  ]);
});
afterAll(() => api.stop());

/** Sends the headers and no byte of the body. */
function withoutBody(method: string, path: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(api.url + path, { method, headers }, (answer) => {
      resolve(answer.statusCode ?? 0);
      sent.destroy();
    });
    sent.on('error', reject);
    sent.flushHeaders();
  });
}

describe('every answer', () => {
  it('carries a request id, also in the error body, and headers against caching, framing and sniffing', async () => {
    const answer = await api.anonymous.send('GET', '/api/me');
    const id = answer.headers.get('x-request-id');
    expect(answer).toMatchObject({
      status: 401,
      body: { error: { code: 'unauthenticated', message: 'Sign in first', request_id: id } },
    });
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
  });

  it('has the same error body for an unknown path', async () => {
    for (const path of ['/nothing', '/api/nothing', '/api/me/', '/API/me', '/internal/nothing', '/api/%']) {
      expect(await api.anonymous.send('GET', path)).toMatchObject({
        status: 404,
        body: { error: { code: 'not_found' } },
      });
    }
  });

  it('names the allowed methods of a known path', async () => {
    const answer = await api.anonymous.send('PUT', '/api/me');
    expect(answer).toMatchObject({ status: 405, body: { error: { code: 'method_not_allowed' } } });
    expect(answer.headers.get('allow')).toBe('HEAD, GET');
  });

  it('hides internal errors, which are logged without the request body', async () => {
    const person = await api.person();
    const answer = await person.send('POST', '/api/test/fails', { secret: 'private-text' });
    expect(answer).toMatchObject({
      status: 500,
      body: { error: { code: 'internal_error', message: 'Something went wrong' } },
    });
    expect(answer.text).not.toContain('boom');
    expect(api.logged()).toContain('boom in the handler');
    expect(api.logged()).not.toContain('private-text');
  });

  it('is withheld when it does not match its schema', async () => {
    const person = await api.person();
    const answer = await person.send('GET', '/api/test/leaks');
    expect(answer.status).toBe(500);
    expect(answer.text).not.toContain('must-not-leave');
    expect(api.logged()).not.toContain('must-not-leave');
    expect(api.logged()).toContain('sealed_value (unknown_field)');
  });
});

describe('the request log', () => {
  it('includes the pattern of the route, the status and the user, and no value of path, query, cookie or body', async () => {
    const { admin, workspace, base } = await api.workspace();
    await admin.send('GET', `${base}/secrets?limit=7&cursor=abcdefgh`);
    const line = api
      .logged()
      .split('\n')
      .filter((text) => text.includes(admin.user.id))
      .at(-1);
    expect(JSON.parse(line ?? '{}')).toMatchObject({
      method: 'GET',
      route: '/api/workspaces/{slug}/secrets',
      status: 422,
      user_id: admin.user.id,
    });
    expect(api.logged()).not.toContain(workspace.slug);
    expect(api.logged()).not.toContain('abcdefgh');
    expect(api.logged()).not.toContain(admin.cookie.split('=')[1]);
  });
});

describe('a request body', () => {
  const post = (body: unknown, headers: Record<string, string> = {}) =>
    api.person().then((person) => person.send('POST', '/api/workspaces', body, headers));

  it('that is nested beyond reason is refused', async () => {
    expect(await post(`{"slug":${'['.repeat(500)}${']'.repeat(500)}}`)).toMatchObject({
      ...{ status: 400, body: { error: { code: 'malformed_request' } } },
    });
  });

  it('that is not declared as JSON, or compressed, is refused', async () => {
    const body = { slug: 'abc', name: 'x' };
    const code = 'unsupported_media_type';
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json-seq']) {
      expect(await post(body, { 'content-type': type })).toMatchObject({
        status: 415,
        body: { error: { code } },
      });
    }
    expect(await post(body, { 'content-encoding': 'gzip' })).toMatchObject({ status: 415 });
  });

  it('that is not UTF-8 is refused', async () => {
    const person = await api.person();
    const response = await fetch(`${api.url}/api/workspaces`, {
      method: 'POST',
      headers: { cookie: person.cookie, 'content-type': 'application/json' },
      body: Buffer.concat([Buffer.from('{"slug":"a","name":"'), Buffer.from([0xff]), Buffer.from('"}')]),
    });
    expect(response.status).toBe(400);
  });

  it('that exceeds the limit without a declared length is cut off', async () => {
    const person = await api.person();
    const { port } = new URL(api.url);
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect(Number(port), '127.0.0.1');
      let text = '';
      socket.on('data', (chunk) => {
        text += chunk;
      });
      socket.on('close', () => resolve(text));
      socket.on('error', reject);
      socket.write(
        `POST /api/workspaces HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nCookie: ${person.cookie}\r\n` +
          'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n',
      );
      socket.write(`${(3000).toString(16)}\r\n${' '.repeat(3000)}\r\n`);
      socket.write('0\r\n\r\n');
    });
    expect(answer).toContain('413 ');
    expect(answer).toContain('The limit is 2000 bytes');
  });

  it('is not read from an unauthorized sender', async () => {
    const { admin, member, base } = await api.workspace();
    const path = `${base}/secrets/TOKEN`;
    expect(await admin.send('PUT', path, 'x'.repeat(3000))).toMatchObject({ status: 413 });
    expect(await member.send('PUT', path, 'x'.repeat(3000))).toMatchObject({ status: 403 });
    // Answered although nothing of the body ever comes.
    const announced = { cookie: member.cookie, 'content-type': 'application/json', 'content-length': '1000' };
    expect(await withoutBody('PUT', path, announced)).toBe(403);
  });

  it('reports every wrong field at once, unknown ones included', async () => {
    const answer = await post({ slug: 'Not A Slug', extra: 1 });
    expect(answer.status).toBe(422);
    const { fields } = (answer.body as { error: { fields: { path: string; code: string }[] } }).error;
    expect(fields.map(({ path, code }) => [path, code])).toEqual(
      expect.arrayContaining([
        ['slug', 'invalid_format'],
        ['name', 'required'],
        ['extra', 'unknown_field'],
      ]),
    );
  });

  it('is refused by a route without a body', async () => {
    const person = await api.person();
    expect(await person.send('POST', '/api/auth/sign-out', { everywhere: true })).toMatchObject({
      status: 422,
      body: { error: { fields: [{ path: 'everywhere', code: 'unknown_field' }] } },
    });
  });
});

describe('a query', () => {
  it('with an unknown, repeated or unusable parameter is refused', async () => {
    const { admin, base } = await api.workspace();
    for (const query of ['limitt=3', 'limit=0', 'limit=201', 'limit=x', 'limit=1&limit=2', 'cursor=zzz']) {
      expect(await admin.send('GET', `${base}/secrets?${query}`)).toMatchObject({
        status: 422,
        body: { error: { code: 'validation_failed' } },
      });
    }
    expect(await admin.send('GET', `${base}/audit-events?resource=a%00b`)).toMatchObject({ status: 400 });
    expect(await admin.send('GET', '/api/me?verbose=1')).toMatchObject({ status: 422 });
  });
});

describe('rate limits', () => {
  it('apply to all requests of a user, and name limit and time', async () => {
    const limited = await startTestApi({ RATE_USER_PER_MINUTE: '5' });
    try {
      const [one, other] = [await limited.person(), await limited.person()];
      const statuses = [];
      for (let at = 0; at < 6; at += 1) {
        statuses.push((await one.send('GET', '/api/me')).status);
      }
      expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
      const refused = await one.send('GET', '/api/me');
      expect(refused).toMatchObject({ status: 429, body: { error: { code: 'rate_limited' } } });
      expect(refused.text).toContain('5 requests a minute per user');
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(await other.send('GET', '/api/me')).toMatchObject({ status: 200 });
    } finally {
      await limited.stop();
    }
  });

  it('ask nothing of the database for what is beyond them', async () => {
    const limited = await startTestApi({ RATE_USER_PER_MINUTE: '1' });
    try {
      const person = await limited.person();
      expect(await person.send('GET', '/api/me')).toMatchObject({ status: 200 });
      await limited.db.transaction(async (trx) => {
        await trx.raw('lock table sign_ins in access exclusive mode');
        expect(await person.send('GET', '/api/me')).toMatchObject({ status: 429 });
      });
    } finally {
      await limited.stop();
    }
  });

  it('apply to failed sign-ins of an address, not to people who share it', async () => {
    const limited = await startTestApi({
      RATE_SIGN_IN_FAILURES_PER_MINUTE: '2',
      RATE_SIGN_IN_PER_MINUTE: '40',
    });
    try {
      const attempt = (email: string) => limited.anonymous.send('POST', '/api/auth/demo-sign-in', { email });
      for (let people = 0; people < 20; people += 1) {
        expect((await limited.person()).cookie).toMatch(/^platform_session=./);
      }
      expect((await attempt('a@demo.test')).status).toBe(401);
      expect((await attempt('b@demo.test')).status).toBe(401);
      const refused = await attempt('c@demo.test');
      expect(refused).toMatchObject({ status: 429, body: { error: { code: 'rate_limited' } } });
      expect(refused.text).toContain('2 failed sign-ins a minute per address');
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    } finally {
      await limited.stop();
    }
  });

  it('apply to all sign-in requests of an address together', async () => {
    const limited = await startTestApi({ RATE_SIGN_IN_PER_MINUTE: '3' });
    try {
      for (let people = 0; people < 3; people += 1) {
        await limited.person();
      }
      const refused = await limited.anonymous.send('POST', '/api/auth/demo-sign-in', {
        email: 'a@demo.test',
      });
      expect(refused.status).toBe(429);
      expect(refused.text).toContain('3 sign-in requests a minute per address');
    } finally {
      await limited.stop();
    }
  });

  it('use the client address from trusted proxies, whatever else a caller claims', async () => {
    const limited = await startTestApi({
      RATE_SIGN_IN_FAILURES_PER_MINUTE: '1',
      TRUST_PROXY: '127.0.0.1,10.0.0.0/8',
    });
    try {
      const attempt = async (forwarded: string) => {
        const body = { email: 'a@demo.test' };
        const headers = { 'x-forwarded-for': forwarded };
        return (await limited.anonymous.send('POST', '/api/auth/demo-sign-in', body, headers)).status;
      };
      expect(await attempt('203.0.113.1, 10.0.0.9')).toBe(401);
      expect(await attempt('198.51.100.7, 203.0.113.1, 10.1.2.3')).toBe(429);
      expect(await attempt('203.0.113.2, 10.0.0.9')).toBe(401);
    } finally {
      await limited.stop();
    }
  });
});

describe('credentials', () => {
  it('of a user are accepted in the cookie only', async () => {
    const person = await api.person();
    const token = person.cookie.split('=')[1] ?? '';
    const stranger = caller(api.url);
    for (const headers of [
      { authorization: `Bearer ${token}` },
      { 'x-internal-token': token },
      { cookie: `other=${token}` },
      { cookie: `platform_session=${token.slice(0, -4)}AAAA` },
      { cookie: 'platform_session=' },
    ]) {
      expect(await stranger.send('GET', '/api/me', undefined, headers)).toMatchObject({ status: 401 });
    }
    expect(await person.send('GET', '/api/me')).toMatchObject({ status: 200, body: { user: person.user } });
  });
});
