/**
 * Sign-ins at remote servers under faults: API and worker are killed at each step, and Temporal does not
 * learn that somebody signed in.
 */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Authorization, Connection, SessionAuthorization } from '../../contract/authorization.ts';
import type { McpServer } from '../../contract/catalog.ts';
import type { McpRegistration } from '../../contract/mcp-registration.ts';
import { untilFound } from '../support/eventually.ts';
import { FrontDoor } from '../support/front-door.ts';
import { type Platform, startPlatform } from '../support/platform.ts';
import { paths, type RemoteServer, type Reply, startRemoteServer } from '../support/remote-server.ts';
import { openRunServers, type RunServers } from '../support/run-servers.ts';
import { type Forward, forward } from '../support/tcp-forward.ts';

/** Each is the name of an entry, and of the step in which its sign-in is when everything is killed. */
const names = ['waits', 'begun', 'redeeming', 'unnoticed'] as const;
type Name = (typeof names)[number];

let runServers: RunServers;
let temporal: Forward;
let platform: Platform;
let ada: FrontDoor;
const servers = {} as Record<Name, RemoteServer>;
const sessions = {} as Record<Name, string>;
const authorizations = {} as Record<Name, string>;

const tokens: Reply = { json: { access_token: 'a-token', refresh_token: 'another', token_type: 'Bearer' } };
const carryTemporal = (port?: number) => {
  const { hostname, port: to } = new URL(`tcp://${runServers.env['TEMPORAL_ADDRESS']}`);
  const listen = { host: '127.0.0.1', ...(port === undefined ? {} : { port }) };
  return forward(listen, () => ({ host: hostname, port: Number(to) }));
};

beforeAll(async () => {
  runServers = await openRunServers();
  temporal = await carryTemporal();
  await Promise.all(
    names.map(async (name) => {
      servers[name] = await startRemoteServer();
      servers[name].change({ [paths.token]: tokens });
    }),
  );
  platform = await startPlatform({
    env: {
      ...runServers.env,
      TEMPORAL_ADDRESS: `127.0.0.1:${temporal.port}`,
      PRIVATE_MCP_HOSTS: names.map((name) => `http://${servers[name].host}`).join(','),
    },
    withoutDemoSession: true,
  });
  ada = await FrontDoor.signIn(platform.url, 'ada@demo.test');
  await Promise.all(names.map(startWaiting));
});
afterAll(async () => {
  await platform?.stop();
  await temporal?.close();
  await Promise.all(Object.values(servers).map((server) => server.close()));
  await runServers?.release();
});

/** A session that waits for its operator to sign in; its agent ends at once when it has started. */
async function startWaiting(name: Name): Promise<void> {
  const entries = `${ada.workspace}/mcp-servers`;
  await ada.ok('POST', entries, { name, shape: { type: 'remote', url: servers[name].url } });
  await untilFound(`the registration of ${name}`, async () => {
    const { mcp_server } = await ada.ok<{ mcp_server: McpServer & { registration: McpRegistration } }>(
      'GET',
      `${entries}/${name}`,
    );
    return mcp_server.registration.status === 'ready' ? true : null;
  });
  const { id } = await ada.createAgent(`agent-${name}`, [], { [name]: {} });
  sessions[name] = (await ada.startSession(id)).id;
  authorizations[name] = await untilFound(`what ${name} waits for`, async () => {
    const path = `/api/sessions/${sessions[name]}/authorizations`;
    const { authorizations } = await ada.ok<{ authorizations: SessionAuthorization[] }>('GET', path);
    return authorizations[0]?.id;
  });
}

/** Where the answer to a sign-in that is begun now will arrive. */
async function begin(name: Name): Promise<string> {
  const { url } = await ada.ok<{ url: string }>('POST', `/api/authorizations/${authorizations[name]}/begin`);
  const { searchParams } = new URL(url);
  const query = { code: 'the-code', iss: servers[name].origin, state: searchParams.get('state') ?? '' };
  return `${new URL(searchParams.get('redirect_uri') ?? '').pathname}?${new URLSearchParams(query)}`;
}
const pageOf = (name: Name) => `/app/_/authorizations/${authorizations[name]}`;
const statusOf = async (name: Name) =>
  (await ada.ok<{ authorization: Authorization }>('GET', `/api/authorizations/${authorizations[name]}`))
    .authorization.status;

/** The code arrives, and its answer does not leave. */
function holdToken(name: Name): Promise<void> {
  return new Promise((resolve) => {
    servers[name].change({ [paths.token]: () => resolve() });
  });
}

it('killed at each step, each goes on or is begun again, and its session starts', async () => {
  const [begun, redeeming, unnoticed] = await Promise.all(
    (['begun', 'redeeming', 'unnoticed'] as const).map(begin),
  );
  const held = holdToken('redeeming');
  const lost = ada.leadsTo(redeeming ?? '').catch(() => null);
  await held;
  await temporal.close();
  expect(await ada.leadsTo(unnoticed ?? '')).toBe(pageOf('unnoticed'));
  expect(await statusOf('unnoticed')).toBe('connected');
  await Promise.all([platform.kill('api', ''), platform.kill('worker', '')]);
  temporal = await carryTemporal(temporal.port);
  expect(await lost).toBeNull();

  await untilFound('the API', () =>
    ada.send('GET', '/api/me').then(
      ({ status }) => (status === 200 ? true : null),
      () => null,
    ),
  );
  expect(await ada.leadsTo(begun ?? '')).toBe(pageOf('begun'));
  // What was used up is not used again, and the sign-in is still to be made.
  servers.redeeming.change({ [paths.token]: tokens });
  expect(await ada.leadsTo(redeeming ?? '')).toBe('/app/_/authorizations/unknown');
  expect(await statusOf('redeeming')).toBe('pending');
  for (const name of ['waits', 'redeeming'] as const) {
    expect(await ada.leadsTo(await begin(name))).toBe(pageOf(name));
  }

  for (const name of names) {
    await untilFound(`the end of session ${name}`, async () => {
      const { status } = await ada.session(sessions[name]);
      return status === 'completed' ? true : null;
    });
  }
  const { connections } = await ada.ok<{ connections: Connection[] }>('GET', '/api/me/connections');
  expect(connections.map(({ mcp_server }) => mcp_server).toSorted()).toEqual(names.toSorted());
  const codes = names.map((name) => servers[name].requests.filter(({ line }) => line === paths.token).length);
  expect(codes).toEqual([1, 1, 2, 1]);
});
