/** The program itself: its argument, the headers from its environment, and a server over TLS. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { makeCertificate } from '../../../support/certificate.ts';
import { bundleBridge, configFor, spawnBridge, stopBridges } from './agent-side.ts';
import { startEarlierToolServer, type ToolServer } from './tool-servers.ts';

let program: string;
let directory: string;
let server: ToolServer;
const { key, certificate } = makeCertificate('127.0.0.1');
beforeAll(async () => {
  program = bundleBridge();
  directory = await mkdtemp(join(tmpdir(), 'bridge-'));
  await writeFile(join(directory, 'ca.pem'), certificate);
  server = await startEarlierToolServer({ tls: { key, cert: certificate } });
});
afterEach(stopBridges);
afterAll(async () => {
  await server.close();
  await rm(directory, { recursive: true });
});

const headers = [
  { name: 'X-Api-Key', prefix: '', variable: 'API_KEY' },
  { name: 'Authorization', prefix: 'Token ', variable: 'TOKEN' },
  { name: 'X-Unset', prefix: 'a ', variable: 'UNSET' },
];

it('speaks TLS, with the headers whose variables are set', async () => {
  const config = configFor(server, { headers, private_hosts: { [server.host]: 'https' } });
  const env = { NODE_EXTRA_CA_CERTS: join(directory, 'ca.pem'), API_KEY: 'key-1', TOKEN: 'token-1' };
  const side = spawnBridge(program, JSON.stringify(config), env);
  expect(await side.initialize()).toHaveProperty('result');
  expect(await side.request('tools/list')).toHaveProperty('result');
  expect(await side.close()).toEqual({ code: 0 });
  expect(server.requests.length).toBeGreaterThan(3);
  for (const request of server.requests) {
    expect(request.headers).toMatchObject({ 'x-api-key': 'key-1', authorization: 'Token token-1' });
    expect(request.headers).not.toHaveProperty('x-unset');
  }
});

it('does not trust a certificate for another reason than its authority', async () => {
  const config = configFor(server, { private_hosts: { [server.host]: 'https' } });
  const side = spawnBridge(program, JSON.stringify(config));
  expect(await side.request('ping')).toMatchObject({
    error: { data: { code: 'server_unavailable' }, message: expect.stringMatching(/not trusted here/) },
  });
});

it('--help says what it is called with', async () => {
  const side = spawnBridge(program, '--help');
  expect(await side.ended).toEqual({ code: 0 });
  expect(side.lines[0]).toBe('Usage:');
});

it.each([
  ['no JSON', '{', {}, /^remote-bridge: the configuration is not JSON; --help shows an example$/],
  [
    'a field too few',
    '{"url":"https://x.test/"}',
    {},
    /^remote-bridge: the configuration is not valid: headers: is required$/,
  ],
  [
    'a variable that no header may have',
    JSON.stringify({ url: 'https://x.test/', headers, private_hosts: {}, token_socket: null }),
    { API_KEY: 'secret\n' },
    /^remote-bridge: the variable API_KEY holds characters that no header may have, such as a line break$/,
  ],
])('%s is one line, and exit code 2', async (_what, argument, env, line) => {
  const side = spawnBridge(program, argument, env);
  expect(await side.ended).toEqual({ code: 2 });
  expect(side.reports.join('\n')).toMatch(line);
});
