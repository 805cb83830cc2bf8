/**
 * Remote servers through the front door: registered by their URL, reached by a bridge, gated like any other.
 */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { McpServer } from '../../contract/catalog.ts';
import type { McpCheck } from '../../contract/mcp-check.ts';
import type { McpRegistration } from '../../contract/mcp-registration.ts';
import { untilFound } from '../support/eventually.ts';
import { FrontDoor } from '../support/front-door.ts';
import { type Platform, startPlatform } from '../support/platform.ts';
import { type RemoteMcpServer, startRemoteMcpServer } from '../support/remote-mcp-server.ts';

const key = 'sesame-of-the-remote-server';

let server: RemoteMcpServer;
let platform: Platform;
let ada: FrontDoor;
beforeAll(async () => {
  server = await startRemoteMcpServer();
  platform = await startPlatform({
    env: { PRIVATE_MCP_HOSTS: `http://127.0.0.1:${server.port}` },
    usesRunServers: true,
    withoutDemoSession: true,
  });
  ada = await FrontDoor.signIn(platform.url, 'ada@demo.test');
  await ada.ok('PUT', `${ada.workspace}/secrets/REMOTE_KEY`, { value: key });
});
afterAll(async () => {
  await platform?.stop();
  await server?.close();
});

const url = (path: string) => `http://127.0.0.1:${server.port}${path}`;
async function register(name: string, shape: object, manifest?: object): Promise<McpRegistration> {
  const entries = `${ada.workspace}/mcp-servers`;
  await ada.ok('POST', entries, { name, shape: { type: 'remote', ...shape }, ...(manifest && { manifest }) });
  return untilFound(`the registration of ${name}`, async () => {
    const { mcp_server } = await ada.ok<{ mcp_server: McpServer & { registration: McpRegistration } }>(
      'GET',
      `${entries}/${name}`,
    );
    return mcp_server.registration.status === 'pending' ? null : mcp_server.registration;
  });
}

it('are ready once registered, and a check lists the tools of one with its key', async () => {
  expect(await register('open', { url: url('/open') })).toMatchObject({ status: 'ready', sign_in: 'none' });
  const manifest = {
    env: { KEY: { kind: 'secret', label: 'Key', required: true } },
    tool_scopes: { greet: 'greetings.read' },
  };
  const headers = [{ name: 'Authorization', prefix: 'Bearer ', variable: 'KEY' }];
  expect(await register('keyed', { url: url('/keyed'), headers }, manifest)).toMatchObject({
    status: 'ready',
    sign_in: 'headers',
  });
  const checks = `${ada.workspace}/mcp-servers/keyed/checks`;
  const env = { KEY: '${REMOTE_KEY}' };
  const { mcp_check: check } = await ada.ok<{ mcp_check: McpCheck }>('POST', checks, { env });
  const done = await untilFound('the end of the check', async () => {
    const { mcp_check: now } = await ada.ok<{ mcp_check: McpCheck }>('GET', `${checks}/${check.id}`);
    return now.ended_at === null ? null : now;
  });
  expect(done).toMatchObject({
    status: 'completed',
    listing: { outcome: 'listed', tools: [{ name: 'greet' }] },
  });
});

it('are called by an agent under a grant, with a key that it never sees', async () => {
  const steps = [
    { call: 'open.greet', arguments: {} },
    { call: 'keyed.greet', arguments: {}, expect: 'permission_required' },
    {
      call: 'platform.request_permission',
      arguments: {
        grant_type: 'tool_scope',
        details: { scope: 'greetings.read' },
        scope: 'session',
        justification: 'to greet',
        wait_seconds: 120,
      },
    },
    { call: 'keyed.greet', arguments: {} },
  ];
  const agent = await ada.createAgent('greeter', steps, { open: {}, keyed: { KEY: '${REMOTE_KEY}' } });
  const session = await ada.startSession(agent.id);
  const request = await ada.openRequest(session.id);
  await ada.approve(request);
  expect(await ada.ended(session.id)).toMatchObject({ status: 'completed' });
  const calls = (await ada.toolCalls(session.id)).map(({ data }) => [
    data['name'],
    data['outcome'],
    data['granted_via'],
  ]);
  expect(calls).toEqual(
    expect.arrayContaining([
      ['open', 'ok', null],
      ['keyed', 'permission_required', null],
      ['keyed', 'ok', expect.any(String)],
    ]),
  );
  const sent = server.headers.map(({ authorization }) => authorization);
  expect(new Set(sent)).toEqual(new Set([undefined, `Bearer ${key}`]));
  expect(JSON.stringify(await ada.events(session.id))).not.toContain(key);
  expect(platform.output()).not.toContain(key);
});
