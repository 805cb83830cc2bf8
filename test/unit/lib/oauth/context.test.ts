import { describe, expect, it } from '@jest/globals';
import { parseServerUrl } from '../../../../lib/oauth/context.ts';
import { policy, refusalOf } from './refusal.ts';

const parse = (text: string) => parseServerUrl(policy, text, 'The field "x" with', 'endpoint_refused');

describe('the address of a server', () => {
  it.each([
    'https://server.test/mcp',
    'HTTPS://Server.Test:8443/a?b=c',
    'https://93.184.216.34/',
    'http://127.0.0.1:8080/mcp',
    'https://127.0.0.1:8080/mcp',
  ])('may be %s', (text) => {
    expect(parse(text).href).toBe(new URL(text).href);
  });

  it.each([
    ['javascript:alert(1)', 'begins with https://'],
    ['data:text/html,x', 'begins with https://'],
    ['file:///etc/passwd', 'begins with https://'],
    ['myapp://authorize', 'begins with https://'],
    ['https:server.test', 'begins with https://'],
    ['//server.test/', 'begins with https://'],
    ['/authorize', 'begins with https://'],
    ['', 'begins with https://'],
    [' https://server.test/', 'begins with https://'],
    ['https://server.test/\n', 'begins with https://'],
    ['ht\ttps://server.test/', 'begins with https://'],
    ['https://server.test\\@evil.test/', 'begins with https://'],
    ['https://sërver.test/', 'begins with https://'],
    ['https://', 'begins with https://'],
    [`https://server.test/${'x'.repeat(2048)}`, 'begins with https://'],
    ['https://user:password@server.test/', 'user name or password'],
    ['https://user@server.test/', 'user name or password'],
    ['https://server.test/#fragment', 'fragment'],
    ['https://server.test/#', 'fragment'],
    ['http://server.test/', 'is not https; SETTING of the API names'],
    ['https://127.0.0.1/', 'private address'],
    ['https://2130706433/', 'private address'],
    ['https://[::1]/', 'private address'],
    ['https://[::ffff:10.0.0.1]/', 'private address'],
    ['https://169.254.169.254/latest/meta-data', 'never connected to'],
    ['http://127.0.0.1:8081/', 'is not https'],
  ])('may not be %j', (text, why) => {
    const refusal = refusalOf(() => parse(text));
    expect(refusal).toMatchObject({ code: 'endpoint_refused', isTemporary: false });
    expect(refusal?.message).toContain(why);
    expect(refusal?.message).toMatch(/^The field "x" with ".*" .+\.$/);
  });
});
