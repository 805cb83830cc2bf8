import { describe, expect, it } from '@jest/globals';
import { classifyProbe, type ProbeAnswer } from '../../../../lib/oauth/probe.ts';
import { refusalOf } from './refusal.ts';

const initialized = {
  jsonrpc: '2.0',
  id: 1,
  result: { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'x', version: '1' } },
};
const failed = { jsonrpc: '2.0', id: 1, error: { code: -32022, message: 'Unsupported protocol version' } };
const json = 'application/json';
const answer = (changed: Partial<ProbeAnswer>): ProbeAnswer => ({
  host: 'server.test',
  status: 200,
  contentType: json,
  authenticate: undefined,
  message: null,
  ...changed,
});
const challenged = (authenticate: string | undefined, status = 401) =>
  classifyProbe(answer({ status, authenticate, contentType: '' }));

describe('a server needs no sign-in', () => {
  it.each([
    ['that answers initialize', { message: initialized }],
    ['that answers on a stream', { message: initialized, contentType: 'text/event-stream' }],
    [
      'that answers server/discover',
      { message: { jsonrpc: '2.0', id: 1, result: { supportedVersions: ['2026-07-28'], capabilities: {} } } },
    ],
  ])('%s', (_what, changed) => {
    expect(classifyProbe(answer(changed))).toEqual({ kind: 'no_sign_in' });
  });
});

describe('a server refuses the method', () => {
  it.each([200, 400, 404])('with an error of JSON-RPC in a %i', (status) => {
    expect(classifyProbe(answer({ status, message: failed }))).toEqual({ kind: 'refused_method' });
  });
});

describe('a server needs a sign-in', () => {
  const metadata = 'https://server.test/.well-known/oauth-protected-resource';
  it.each([
    [
      'without a challenge',
      undefined,
      { asksFor: 'unknown', error: null, resourceMetadata: null, scopes: null },
    ],
    [
      'with one of a scheme of its own',
      'ApiKey',
      { asksFor: 'unknown', error: null, resourceMetadata: null, scopes: null },
    ],
    [
      'with one that cannot be read',
      'Bearer realm="',
      { asksFor: 'unknown', error: null, resourceMetadata: null, scopes: null },
    ],
    ['with Bearer alone', 'Bearer', { asksFor: 'bearer', error: null, resourceMetadata: null, scopes: null }],
    [
      'with metadata and scopes',
      `Bearer error="invalid_token", resource_metadata="${metadata}", scope="a b"`,
      { asksFor: 'bearer', error: 'invalid_token', resourceMetadata: new URL(metadata), scopes: ['a', 'b'] },
    ],
    [
      'beside Basic',
      `Basic realm="x", Bearer resource_metadata="${metadata}"`,
      { asksFor: 'bearer', error: null, resourceMetadata: new URL(metadata), scopes: null },
    ],
    [
      'with several, of which the one with metadata counts',
      `Bearer scope="a", Bearer resource_metadata="${metadata}", scope="b"`,
      { asksFor: 'bearer', error: null, resourceMetadata: new URL(metadata), scopes: ['b'] },
    ],
    [
      'with metadata at no address',
      'Bearer resource_metadata="nowhere", scope=" "',
      { asksFor: 'bearer', error: null, resourceMetadata: null, scopes: null },
    ],
  ])('%s', (_what, header, challenge) => {
    expect(challenged(header)).toEqual({ kind: 'sign_in', challenge });
  });

  it('that answers 403 with a challenge', () => {
    expect(challenged('Bearer error="insufficient_scope", scope="a"', 403)).toMatchObject({
      kind: 'sign_in',
      challenge: { error: 'insufficient_scope', scopes: ['a'] },
    });
  });
});

describe('an answer is refused', () => {
  const page = { contentType: 'text/html' };
  it.each([
    ['Basic', { status: 401, authenticate: 'Basic realm="x"' }, 'static_key', 'probably takes a static key'],
    ['403 without a challenge', { status: 403 }, 'static_key', 'answered 403 without a way to sign in'],
    ['a page', page, 'not_an_mcp_server', 'answers with a web page (200)'],
    ['a page that is not there', { ...page, status: 404 }, 'not_an_mcp_server', 'web page (404)'],
    ['404', { status: 404, contentType: '' }, 'not_an_mcp_server', 'has nothing at this address (404)'],
    ['405', { status: 405, contentType: '' }, 'not_an_mcp_server', 'accepts no POST'],
    ['204', { status: 204, contentType: '' }, 'not_an_mcp_server', 'gives no answer to a request (204)'],
    ['other JSON', { message: { hello: 'world' } }, 'not_an_mcp_server', 'other than a response of MCP'],
    ['a list', { message: [initialized] }, 'not_an_mcp_server', 'other than a response of MCP'],
    ['another id', { message: { ...initialized, id: 2 } }, 'not_an_mcp_server', 'other than a response'],
    ['no version', { message: { ...initialized, jsonrpc: '1.0' } }, 'not_an_mcp_server', 'other than'],
    ['a result with an error', { message: { ...initialized, ...failed } }, 'not_an_mcp_server', 'other than'],
    [
      'a result of something else',
      { message: { ...failed, error: undefined, result: {} } },
      'not_an_mcp_server',
      'other',
    ],
    ['a result with 400', { status: 400, message: initialized }, 'not_an_mcp_server', 'answered 400'],
    ['400', { status: 400 }, 'not_an_mcp_server', 'answered 400, not as an MCP server'],
    ['500', { status: 500 }, 'unreachable', 'answered 500'],
    ['429', { status: 429 }, 'unreachable', 'answered 429'],
    [
      'a scope that is none',
      { status: 401, authenticate: 'Bearer scope="ä"' },
      'challenge_invalid',
      'asks for the scope',
    ],
  ])('%s', (_what, changed, code, why) => {
    const refusal = refusalOf(() => classifyProbe(answer(changed)));
    expect(refusal).toMatchObject({ code, isTemporary: code === 'unreachable' });
    expect(refusal?.message).toContain(why);
    expect(refusal?.message).toMatch(/^\S.+\.$/);
  });
});
