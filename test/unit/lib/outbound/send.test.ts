import { describe, expect, it } from '@jest/globals';
import { explainConnectionError } from '../../../../lib/outbound/connection-errors.ts';
import { OutboundError } from '../../../../lib/outbound/errors.ts';
import {
  get,
  isPlainGet,
  mediaType,
  refusedRedirect,
  unexpectedType,
} from '../../../../lib/outbound/send.ts';

it('refuses plain http before it connects, and names the setting that allows it', async () => {
  const context = {
    policy: { privateHosts: new Map(), setting: 'SETTING of the API' },
    signal: AbortSignal.timeout(5000),
    workspaceId: null,
    resolveName: async () => {
      throw new Error('nothing is looked up');
    },
  };
  await expect(get(context, new URL('http://server.test/'), {}, 0)).rejects.toMatchObject({
    code: 'insecure',
    message: 'server.test is asked over https only; SETTING of the API names the hosts that speak plain http',
  });
});

it('has the name looked up for the workspace whose configuration named the host', async () => {
  const asked: unknown[] = [];
  const context = {
    policy: { privateHosts: new Map(), setting: 'SETTING of the API' },
    signal: new AbortController().signal,
    workspaceId: 'of-one',
    resolveName: async (...given: unknown[]) => {
      asked.push(given);
      return [{ address: '127.0.0.1', family: 4 }];
    },
  };
  await expect(get(context, new URL('https://server.test/'), {}, 0)).rejects.toMatchObject({
    code: 'address_refused',
  });
  expect(asked).toEqual([['server.test', context.signal, 'of-one']]);
});

it.each([
  ['https://x.test/mcp', '/mcp/', 'the same address with a slash at its end'],
  ['https://x.test/mcp/', '/mcp', 'the same address without the slash at its end'],
  ['https://x.test/mcp', 'http://x.test/mcp/', 'the same address over http with a slash at its end'],
  ['http://x.test/mcp?a=1', 'https://x.test/mcp?a=1', 'the same address over https'],
  ['https://x.test/mcp', '/mcp/?key=secret', 'another address of its own'],
  ['https://x.test/mcp', '/secret', 'another address of its own'],
  ['https://x.test/mcp', 'https://x.test:8443/mcp/', 'x.test:8443'],
  ['https://x.test/mcp', 'https://y.test/mcp/', 'y.test'],
])('a redirect from %s to %s is said to lead to %s', (from, location, where) => {
  expect(refusedRedirect(new URL(from), location).message).toBe(
    `x.test redirects to ${where}, which is not followed`,
  );
});

const url = new URL('https://server.test/path?query=a-secret');

describe('redirects may be followed', () => {
  it.each([
    ['after a GET without headers', {}, true],
    ['after one that says what it accepts', { headers: { Accept: 'application/json' } }, true],
    ['not after Authorization', { headers: { Authorization: 'Bearer x' } }, false],
    ['not after a header that may be a static key', { headers: { 'X-Api-Key': 'x' } }, false],
    ['not after a cookie', { headers: { cookie: 'x' } }, false],
    ['not after a password in the URL', { url: new URL('https://user:x@server.test/') }, false],
    ['not after a user in the URL', { url: new URL('https://user@server.test/') }, false],
    ['not after a body', { body: { form: {} } }, false],
    ['not after a POST', { method: 'POST' as const }, false],
    ['not after a PUT', { method: 'PUT' as const }, false],
    ['not after a DELETE', { method: 'DELETE' as const }, false],
  ])('%s', (_what, changed, may) => {
    expect(isPlainGet({ method: 'GET', url, timeoutMs: 1, ...changed })).toBe(may);
  });
});

describe('a failed connection', () => {
  it.each([
    ['ECONNREFUSED', 'connection_refused'],
    ['ENOTFOUND', 'unreachable'],
    ['EAI_AGAIN', 'unreachable'],
    ['ECONNRESET', 'unreachable'],
    ['HPE_HEADER_OVERFLOW', 'too_large'],
    ['EHOSTUNREACH', 'unreachable'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'certificate_refused'],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'certificate_refused'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'certificate_refused'],
    ['CERT_HAS_EXPIRED', 'certificate_refused'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'certificate_refused'],
    ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'client_certificate_required'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'tls_failed'],
    ['EPROTO', 'tls_failed'],
    ['HPE_INVALID_CONSTANT', 'invalid_response'],
  ])('%s is %s, in a sentence that repeats nothing of the request', (code, expected) => {
    const error = explainConnectionError(url, Object.assign(new Error('a-secret'), { code }));
    expect(error).toMatchObject({ code: expected });
    expect(error.message).toMatch(/^server\.test .+\(\w+\)$/);
    expect(error.message).not.toContain('a-secret');
  });

  it('without a code, or with one that is text, is only unreachable', () => {
    for (const error of [new Error('a-secret'), 'a-secret', null, { code: 'a secret!' }, { code: 1 }]) {
      expect(explainConnectionError(url, error).message).toBe('server.test cannot be reached');
    }
  });

  it('that the guard refused stays what it is', () => {
    const refused = new OutboundError('address_refused', 'x');
    expect(explainConnectionError(url, refused)).toBe(refused);
  });
});

describe('a media type', () => {
  it.each([
    ['Application/JSON; charset=utf-8', 'application/json'],
    [' text/html', 'text/html'],
    [undefined, ''],
  ])('of %s is %s', (header, type) => {
    expect(mediaType(header)).toBe(type);
  });

  it('is named in the refusal when it is one', () => {
    expect(unexpectedType(url, 'text/html', ['application/json']).message).toBe(
      'server.test answers with text/html where application/json is expected',
    );
    expect(unexpectedType(url, '<script>', ['a/b', 'c/d']).message).toBe(
      'server.test answers with no readable type where a/b or c/d is expected',
    );
  });
});
