import { describe, expect, it } from '@jest/globals';
import { commonPreviewHeaders, servicePolicy, waitingPolicy } from '../../../../api/previews/headers.ts';
import { createLabel } from '../../../../api/previews/origin.ts';
import {
  allowedHeadersOf,
  hasBody,
  serviceRequestHeaders,
} from '../../../../api/previews/proxy-request-headers.ts';
import {
  ownLocation,
  visitorHandshake,
  visitorHeaders,
} from '../../../../api/previews/proxy-response-headers.ts';

const label = createLabel();
const origin = `https://${label}.previews.example.net`;
const sent = (headers: Record<string, string | string[]>, isWebSocket = false) =>
  serviceRequestHeaders(headers, { port: 8080, label, isWebSocket });

describe('the headers for a service', () => {
  it('say that it is asked where it listens', () => {
    expect(sent({ host: `${label}.previews.example.net` })).toEqual({ host: 'localhost:8080' });
  });

  it.each([
    ['content-type'],
    ['accept'],
    ['accept-encoding'],
    ['range'],
    ['if-none-match'],
    ['last-event-id'],
    ['x-csrf-token'],
    ['hx-request'],
    ['next-router-state-tree'],
    ['turbo-frame'],
    ['x-inertia'],
    ['rsc'],
    ['upload-offset'],
  ])('have %s of the page', (name) => {
    expect(sent({ [name]: 'its value' })).toMatchObject({ [name]: 'its value' });
    expect(allowedHeadersOf(name.toUpperCase())).toEqual([name]);
  });

  it.each([
    ['cookie'],
    ['authorization'],
    ['proxy-authorization'],
    ['origin'],
    ['referer'],
    ['forwarded'],
    ['x-forwarded-for'],
    ['x-forwarded-email'],
    ['x-real-ip'],
    ['x-auth-request-user'],
    ['x-authenticated-user'],
    ['remote-user'],
    ['x-remote-user'],
    ['cf-connecting-ip'],
    ['cf-access-authenticated-user-email'],
    ['x-amzn-oidc-data'],
    ['x-goog-iap-jwt-assertion'],
    ['x-ms-client-principal-name'],
    ['tailscale-user-login'],
    ['x-client-cert'],
    ['ssl-client-cert'],
    ['traceparent'],
    ['sec-fetch-site'],
    ['sec-ch-ua'],
    ['x-internal-token'],
    ['x-control-request'],
    ['x-service-request'],
    ['x-service-failure'],
    ['connection'],
    ['keep-alive'],
    ['te'],
    ['trailer'],
    ['transfer-encoding'],
    ['content-length'],
    ['upgrade'],
    ['http2-settings'],
    ['expect'],
    ['sec-websocket-key'],
    ['constructor'],
    ['__proto__x'],
  ])('have no %s', (name) => {
    expect(sent({ [name]: 'secret' })).toEqual({ host: 'localhost:8080' });
    expect(allowedHeadersOf(name)).toEqual([]);
  });

  it('never have the name of the preview in a value', () => {
    const given = {
      'hx-current-url': `${origin.toUpperCase()}/a`,
      'hx-target': 'list',
      prefer: `x=${label}`,
    };
    expect(sent(given)).toEqual({ host: 'localhost:8080', 'hx-target': 'list' });
  });

  it('have the handshake of a WebSocket, for one alone', () => {
    const handshake = {
      'sec-websocket-key': 'a',
      'sec-websocket-version': '13',
      'sec-websocket-protocol': 'p',
    };
    const given = { ...handshake, 'sec-websocket-accept': 'x', upgrade: 'websocket, h2c', cookie: 'secret' };
    expect(sent(given, true)).toEqual({
      ...handshake,
      host: 'localhost:8080',
      connection: 'Upgrade',
      upgrade: 'websocket',
    });
    expect(sent(given)).toEqual({ host: 'localhost:8080' });
  });

  it('are permitted to a page as asked, without repetition and without what is no name', () => {
    expect(allowedHeadersOf('')).toEqual([]);
    expect(allowedHeadersOf('Content-Type,content-type , RSC, a b, \r\nrange')).toEqual([
      'content-type',
      'rsc',
      'range',
    ]);
    expect(allowedHeadersOf(`hx-${'a'.repeat(100)}`)).toEqual([]);
  });

  it.each([
    [{}, false],
    [{ 'content-length': '0' }, false],
    [{ 'content-length': '1' }, true],
    [{ 'transfer-encoding': 'chunked' }, true],
  ])('say whether there is a body: %j, %s', (headers, is) => {
    expect(hasBody(headers)).toBe(is);
  });
});

describe('the headers for the browser', () => {
  const options = { origin, port: 8080, target: '/dir/page?a=1' };
  const answered = (headers: Record<string, string>, statusCode = 200) =>
    visitorHeaders({ statusCode, headers }, options);
  const lowerCased = (headers: object | null) =>
    Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]));

  it.each([
    ['content-type'],
    ['content-length'],
    ['content-encoding'],
    ['content-range'],
    ['content-disposition'],
    ['etag'],
    ['last-modified'],
    ['vary'],
    ['retry-after'],
    ['hx-trigger'],
    ['x-inertia'],
    ['x-total-count'],
  ])('have %s of the service', (name) => {
    expect(answered({ [name]: 'its' })).toMatchObject({ [name]: 'its' });
  });

  it.each([
    ...[...Object.keys(commonPreviewHeaders), 'Content-Security-Policy'].map((name) => [name.toLowerCase()]),
    ...['set-cookie', 'set-cookie2', 'clear-site-data', 'strict-transport-security', 'alt-svc'].map(
      (name) => [name],
    ),
    ...['content-security-policy-report-only', 'feature-policy', 'timing-allow-origin'].map((name) => [name]),
    ...['access-control-allow-origin', 'access-control-allow-credentials', 'access-control-max-age'].map(
      (name) => [name],
    ),
    ...['cross-origin-embedder-policy', 'cross-origin-opener-policy-report-only'].map((name) => [name]),
    ...['report-to', 'reporting-endpoints', 'nel', 'refresh', 'service-worker-allowed', 'set-login'].map(
      (name) => [name],
    ),
    ...['www-authenticate', 'x-accel-redirect', 'x-sendfile', 'surrogate-control', 'accept-ch'].map(
      (name) => [name],
    ),
    ...['cdn-cache-control', 'cloudflare-cdn-cache-control', 'edge-control', 'document-isolation-policy'].map(
      (name) => [name],
    ),
    ...['connection', 'keep-alive', 'transfer-encoding', 'upgrade', 'trailer', 'te', 'x-service-failure'].map(
      (name) => [name],
    ),
  ])('have no %s of the service', (name) => {
    expect(lowerCased(answered({ [name]: 'hostile' }))[name]).not.toBe('hostile');
  });

  it.each([[100], [101], [103], [0]])('are none for status %i', (status) => {
    expect(answered({}, status)).toBeNull();
  });

  it.each([['multipart/x-mixed-replace; boundary=a'], [' Multipart/X-Mixed-Replace'], ['multipart/mixed']])(
    'are none for %s, whose parts have headers',
    (type) => {
      expect(answered({ 'content-type': type })).toBeNull();
    },
  );

  it.each([
    ['/a', '/a'],
    ['b', '/dir/b'],
    ['', '/dir/page?a=1'],
    ['#c', '/dir/page?a=1#c'],
    ['../../../a', '/a'],
    ['http://localhost:8080', '/'],
    ['HTTP://LOCALHOST:8080/a?b', '/a?b'],
    ['http://127.0.0.1:8080/a', '/a'],
    ['/a\r\nSet-Cookie: b', '/aSet-Cookie:%20b'],
  ])('lead from %j to %s', (location, to) => {
    expect(ownLocation(location, 8080, options.target)).toBe(to);
  });

  it.each([
    ['//evil.example'],
    ['///evil.example'],
    ['/\\evil.example'],
    ['\\\\evil.example'],
    ['/\t/evil.example'],
    ['/.//evil.example'],
    ['/..//evil.example'],
    ['http:/\\evil.example'],
    ['http://localhost:8080@evil.example'],
    ['http://localhost:8080.evil.example'],
    ['http://a:b@localhost:8080/'],
    ['http://localhost:80801/'],
    ['http://localhost/'],
    ['https://localhost:8080/'],
    ['ws://localhost:8080/'],
    ['javascript:alert(1)'],
    ['blob:http://localhost:8080/a'],
    ['http://'],
    [origin],
  ])('lead nowhere from %j', (location) => {
    expect(ownLocation(location, 8080, options.target)).toBeNull();
    expect(answered({ location }, 302)).toBeNull();
  });

  it('of a handshake are those of the handshake', () => {
    const headers = { upgrade: 'WebSocket', 'sec-websocket-accept': 'a', 'set-cookie': ['b'], 'x-a': 'b' };
    expect(visitorHandshake({ statusCode: 101, headers })).toEqual({
      ...{ Connection: 'Upgrade', Upgrade: 'websocket' },
      'sec-websocket-accept': 'a',
    });
    expect(visitorHandshake({ statusCode: 101, headers: { upgrade: 'h2c' } })).toBeNull();
    expect(visitorHandshake({ statusCode: 200, headers })).toBeNull();
  });
});

describe('the policy of a service', () => {
  it.each([
    [origin, origin.replace('https', 'wss')],
    [`http://${label}.localhost:8080`, `ws://${label}.localhost:8080`],
  ])('names this origin alone: %s', (own, sockets) => {
    const policy = new Map(
      servicePolicy(own)
        .split('; ')
        .map((part) => [part.split(' ')[0], part.split(' ').slice(1)]),
    );
    expect(policy.get('sandbox')).toEqual(['allow-scripts', 'allow-forms']);
    expect(policy.get('default-src')).toEqual(["'none'"]);
    expect(policy.get('frame-ancestors')).toEqual(["'none'"]);
    expect(policy.get('form-action')).toEqual([own]);
    expect(policy.get('connect-src')).toEqual([own, sockets, 'data:', 'blob:']);
    const named = [...policy.values()]
      .flat()
      .filter((source) => /[.*]|localhost|^https?:|^wss?:/.test(source));
    expect(new Set(named)).toEqual(new Set([own, sockets]));
  });

  it('of a page that waits lets it reload and nothing run', () => {
    expect(waitingPolicy).toMatch(/^default-src 'none'; .*; sandbox allow-scripts$/);
    expect(waitingPolicy).not.toMatch(/script-src|connect-src|allow-same-origin|allow-top-navigation/);
  });
});
