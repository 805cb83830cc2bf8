import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { bridgeConfig } from '../../../contract/remote-server.ts';
import { bridgeConfigOf, destinationOf, privateOriginOf } from '../../../runtime/bridge-config.ts';
import { checkProperty } from '../../support/property.ts';

const mcpDirectory = '/run/platform/mcp';
const place = { privateHosts: new Map<string, 'https' | 'http'>(), mcpDirectory, hostSocket: null };
const shape = (url: string) => ({ type: 'remote' as const, url });
const at = (url: string) => ({ shape: shape(url), sign_in: 'none' as const });

describe('what a bridge runs with', () => {
  it('is its URL as the entry has it, and the headers', () => {
    const headers = [{ name: 'authorization', prefix: 'Bearer ', variable: 'KEY' }];
    const url = 'https://Far.test:443/mcp?team=a%20b';
    const made = bridgeConfigOf({ shape: { ...shape(url), headers }, sign_in: 'headers' }, place);
    expect(made).toEqual({ url, headers, private_hosts: {}, token_socket: null });
    expect(bridgeConfig.parse(made)).toEqual(made);
  });

  it.each([
    ['oauth', '/run/platform/mcp/.token.sock'],
    ['headers', null],
    ['none', null],
    [null, null],
  ] as const)('has the socket for tokens only where the operator signs in: %s', (sign_in, token_socket) => {
    expect(bridgeConfigOf({ shape: shape('https://far.test'), sign_in }, place).token_socket).toBe(
      token_socket,
    );
  });

  it('names no client that an admin registered, nor its secret', () => {
    const client = { client_id: 'the-client', client_secret: '${CLIENT_SECRET}' };
    const made = bridgeConfigOf({ shape: { ...shape('https://far.test'), client }, sign_in: 'oauth' }, place);
    expect(JSON.stringify(made)).not.toMatch(/the-client|CLIENT_SECRET/);
  });

  it('has its own host among the listed ones, and no other; the socket of a forward only then', () => {
    const listed = {
      privateHosts: new Map([
        ['a.internal', 'https' as const],
        ['b.internal:81', 'http' as const],
      ]),
      mcpDirectory,
      hostSocket: '/s',
    };
    expect(bridgeConfigOf(at('https://a.internal/mcp'), listed)).toMatchObject({
      private_hosts: { 'a.internal': 'https' },
      host_socket: '/s',
    });
    expect(bridgeConfigOf(at('https://c.internal/mcp'), listed)).toEqual({
      url: 'https://c.internal/mcp',
      headers: [],
      private_hosts: {},
      token_socket: null,
    });
  });
});

describe('a private host', () => {
  const hosts = new Map([
    ['a.internal', 'https' as const],
    ['b.internal', 'http' as const],
    ['127.0.0.1:9000', 'http' as const],
    ['[fd00:1::5]:443', 'https' as const],
  ]);

  it.each([
    ['https://a.internal/mcp', 'https://a.internal'],
    ['https://A.internal:443/mcp', 'https://a.internal'],
    ['http://b.internal:80/', 'http://b.internal'],
    ['http://127.0.0.1:9000/mcp', 'http://127.0.0.1:9000'],
    ['http://127.1:9000/mcp', 'http://127.0.0.1:9000'],
    // The one port is listed, whatever is spoken there; the bridge refuses plain HTTP of a
    // host that is listed for TLS.
    ['https://127.0.0.1:9000/mcp', 'https://127.0.0.1:9000'],
  ])('is listed: %s', (url, origin) => {
    expect(privateOriginOf(shape(url), hosts)).toBe(origin);
  });

  it.each([
    'http://a.internal/mcp',
    'https://b.internal/mcp',
    'https://a.internal:8443/mcp',
    'http://127.0.0.1/mcp',
    'http://127.0.0.1:9001/mcp',
    'https://sub.a.internal/',
    'https://a.internal@evil.test/',
    'https://evil.test/a.internal',
  ])('is not listed: %s', (url) => {
    expect(privateOriginOf(shape(url), hosts)).toBeNull();
  });

  it('is listed by nothing but its own host and port', () => {
    const host = fc.domain();
    const port = fc.integer({ min: 1, max: 65_535 });
    checkProperty(
      fc.property(host, port, host, port, (listedHost, listedPort, name, number) => {
        const listed = new Map([[new URL(`http://${listedHost}:${listedPort}`).host, 'http' as const]]);
        const origin = privateOriginOf(shape(`http://${name}:${number}/mcp`), listed);
        expect(origin !== null).toBe(name === listedHost && number === listedPort);
        if (origin !== null) {
          expect(destinationOf(origin)).toEqual({ hostname: name, port: number });
        }
      }),
    );
  });

  it.each([
    ['https://a.internal', 'a.internal', 443],
    ['http://a.internal', 'a.internal', 80],
    ['http://[fd00:1::5]:8080', 'fd00:1::5', 8080],
  ])('is connected to at %s', (origin, hostname, port) => {
    expect(destinationOf(origin)).toEqual({ hostname, port });
  });
});
