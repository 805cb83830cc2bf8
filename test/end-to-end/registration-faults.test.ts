/**
 * Registrations of remote servers under faults: API and worker are killed at each step, and Temporal and
 * servers are unavailable for a while.
 */
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { McpServer } from '../../contract/catalog.ts';
import type { McpRegistration } from '../../contract/mcp-registration.ts';
import { openDatabase } from '../../store/database.ts';
import { eventually } from '../support/eventually.ts';
import { FrontDoor } from '../support/front-door.ts';
import { type Platform, startPlatform } from '../support/platform.ts';
import {
  honestClient,
  honestReplies,
  paths,
  type RemoteServer,
  startRemoteServer,
} from '../support/remote-server.ts';
import { openRunServers, type RunServers } from '../support/run-servers.ts';
import { type Forward, forward } from '../support/tcp-forward.ts';

/** Each is the name of an entry, and of the step in which it is when everything is killed. */
const names = ['unheard', 'probed', 'registering', 'recording', 'removed', 'troubled'] as const;
type Name = (typeof names)[number];

/**
 * A server, and the ids of the clients that it made: each is kept there, whether or not
 * the platform was answered.
 */
interface Counting {
  server: RemoteServer;
  made: string[];
}

let runServers: RunServers;
let db: ReturnType<typeof openDatabase>;
let temporal: Forward;
let platform: Platform;
let ada: FrontDoor;
const counting = {} as Record<Name, Counting>;

const answerWithClient = (response: ServerResponse, client: object) =>
  response.writeHead(201, { 'content-type': 'application/json' }).end(JSON.stringify(client));

async function startCounting(): Promise<Counting> {
  const server = await startRemoteServer();
  const made: string[] = [];
  server.change({
    [paths.register]: (_request, response, body) =>
      answerWithClient(response, clientOf({ server, made }, body)),
  });
  return { server, made };
}

function clientOf({ server, made }: Counting, body: string): object {
  made.push(`client-${made.length + 1}`);
  return { ...honestClient(server.origin, JSON.parse(body)), client_id: made.at(-1) };
}

const carryTemporal = (address: string, port?: number) => {
  const { hostname, port: to } = new URL(`tcp://${address}`);
  const listen = { host: '127.0.0.1', ...(port === undefined ? {} : { port }) };
  return forward(listen, () => ({ host: hostname, port: Number(to) }));
};

beforeAll(async () => {
  runServers = await openRunServers();
  const { DATABASE_URL = '', TEMPORAL_ADDRESS = '' } = runServers.env;
  db = openDatabase(DATABASE_URL, { poolSize: 3 });
  temporal = await carryTemporal(TEMPORAL_ADDRESS);
  await Promise.all(
    names.map(async (name) => {
      counting[name] = await startCounting();
    }),
  );
  const hosts = names.map((name) => `http://${counting[name].server.host}`);
  platform = await startPlatform({
    env: {
      ...runServers.env,
      TEMPORAL_ADDRESS: `127.0.0.1:${temporal.port}`,
      PRIVATE_MCP_HOSTS: hosts.join(','),
    },
    withoutDemoSession: true,
  });
  ada = await FrontDoor.signIn(platform.url, 'ada@demo.test');
});
afterAll(async () => {
  await platform?.stop();
  await temporal?.close();
  await db?.destroy();
  await Promise.all(Object.values(counting).map(({ server }) => server.close()));
  await runServers?.release();
});

const entries = () => `${ada.workspace}/mcp-servers`;
const save = (name: Name) =>
  ada.ok('POST', entries(), { name, shape: { type: 'remote', url: counting[name].server.url } });
/** Waits until the registration is like this; the API may be unavailable meanwhile. */
const becomes = (name: Name, expected: Partial<McpRegistration>) =>
  eventually(async () => {
    const { mcp_server } = await ada.ok<{ mcp_server: McpServer & { registration: McpRegistration } }>(
      'GET',
      `${entries()}/${name}`,
    );
    expect(mcp_server.registration).toMatchObject(expected);
  });

/** Its client connects again only after a pause, in which what is saved is left to the sweep. */
const temporalIsReached = () =>
  eventually(async () => {
    const { system } = await ada.ok<{ system: { temporal: { is_reachable: boolean } } }>(
      'GET',
      `${ada.workspace}/system`,
    );
    expect(system.temporal.is_reachable).toBe(true);
  });

/**
 * The next request with this line is held back, and later ones are answered honestly. Resolves with what
 * answers it, once it is there.
 */
function holdNext(name: Name, line: string): Promise<() => void> {
  const { server } = counting[name];
  return new Promise((resolve) => {
    server.change({
      [line]: (_request, response, body) => {
        server.change({ [line]: answersAfter(name, line) });
        const client = line === paths.register ? clientOf(counting[name], body) : {};
        resolve(() => answerWithClient(response, client));
      },
    });
  });
}

function answersAfter(name: Name, line: string) {
  const { server } = counting[name];
  return line === paths.register
    ? (_request: unknown, response: ServerResponse, body: string) =>
        answerWithClient(response, clientOf(counting[name], body))
    : (honestReplies(server.origin)[line] ?? { json: {} });
}

const clientsOf = (name: string) =>
  db('oauth_clients')
    .join('mcp_registrations', 'mcp_registrations.id', 'oauth_clients.registration_id')
    .where({ entry_name: name })
    .select('client_id', 'retired_at');

/** Keeps the outcome of a registration from being recorded. Resolves with what lets it through again. */
async function lockRow(name: Name): Promise<() => Promise<unknown>> {
  const trx = await db.transaction();
  await trx('mcp_registrations').where({ entry_name: name }).forUpdate().first('id');
  return () => trx.rollback();
}

const somebodyWaitsForLock = () =>
  eventually(async () => {
    const waiting = await db('pg_stat_activity')
      .where({ wait_event_type: 'Lock' })
      .whereRaw('datname = current_database()');
    expect(waiting).not.toEqual([]);
  });

it('killed at each step, each goes on and has one client, and an answer that was lost costs one that nobody uses', async () => {
  await save('removed');
  await becomes('removed', { status: 'ready' });
  await temporal.close();
  await save('unheard');
  await becomes('unheard', { status: 'pending' });
  expect(counting.unheard.server.requests).toEqual([]);
  temporal = await carryTemporal(runServers.env['TEMPORAL_ADDRESS'] ?? '', temporal.port);
  await temporalIsReached();

  const held = Promise.all([
    holdNext('removed', paths.deletion),
    holdNext('probed', paths.mcp),
    holdNext('registering', paths.register),
    holdNext('recording', paths.register),
  ]);
  await Promise.all([
    ada.ok('DELETE', `${entries()}/removed`),
    ...(['probed', 'registering', 'recording'] as const).map(save),
  ]);
  const [, , , answerRegistration] = await held;
  const unlock = await lockRow('recording');
  answerRegistration();
  await somebodyWaitsForLock();
  await Promise.all([platform.kill('api', ''), platform.kill('worker', '')]);
  await unlock();

  for (const name of ['unheard', 'probed', 'registering', 'recording'] as const) {
    await becomes(name, { status: 'ready', sign_in: 'oauth', reason: null });
    const { made } = counting[name];
    expect({ name, clients: await clientsOf(name) }).toEqual({
      name,
      clients: [{ client_id: made.at(-1), retired_at: null }],
    });
  }
  const made = Object.fromEntries(names.map((name) => [name, counting[name].made.length]));
  expect(made).toMatchObject({ unheard: 1, probed: 1, registering: 2, recording: 2, removed: 1 });
  await eventually(async () => {
    expect(await db('mcp_registrations').where({ entry_name: 'removed' }).select('id')).toEqual([]);
  });
  const deletions = counting.removed.server.requests.filter(({ line }) => line === paths.deletion);
  expect(deletions.length).toBeGreaterThan(1);
  const unsettled = await db('mcp_registrations').where({ status: 'pending' }).orWhereNull('mcp_server_id');
  expect(unsettled).toEqual([]);
});

it('of a server that is unavailable for a moment at each step is ready in the end', async () => {
  const { server, made } = counting.troubled;
  const breaks = (line: string) =>
    server.change({
      [line]: (request) => {
        server.change({ [line]: answersAfter('troubled', line) });
        request.socket.destroy();
      },
    });
  for (const line of [paths.mcp, paths.issuer, paths.register]) {
    breaks(line);
  }
  await save('troubled');
  await becomes('troubled', { status: 'ready', sign_in: 'oauth', reason: null });
  expect(await clientsOf('troubled')).toEqual([{ client_id: made.at(-1), retired_at: null }]);
});
