/**
 * Servers at a URL in a real session: what a malicious one answers, what an agent tries against its bridge,
 * and where entries may lead.
 */
import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { McpServer } from '../../contract/catalog.ts';
import type { McpRegistration } from '../../contract/mcp-registration.ts';
import { eventually, untilFound } from '../support/eventually.ts';
import { FrontDoor } from '../support/front-door.ts';
import { type Platform, startPlatform } from '../support/platform.ts';
import { processesMentioning } from '../support/processes.ts';
import { describeWith } from '../support/sandbox-programs.ts';
import {
  type BridgeTarget,
  connectToBridgeSockets,
  connectToFarServer,
  farAttempts,
  readAllAround,
  receiveFarAttack,
  steerBridge,
} from './attempts/remote.ts';
import { type FarServer, startFarServer } from './far-server.ts';
import { HostileSession } from './session.ts';
import { AttemptTable } from './table.ts';

const table = new AttemptTable('Servers at a URL, and their bridges');
const key = 'sesame-of-the-far-server';
/** What a bridge may send, whatever an agent says to it. */
const sentHeaders = new Set([
  ...[
    'accept',
    'accept-encoding',
    'authorization',
    'connection',
    'content-length',
    'content-type',
    'host',
    'user-agent',
  ],
  ...['mcp-method', 'mcp-name', 'mcp-protocol-version'],
]);

let far: FarServer;
let platform: Platform;
let ada: FrontDoor;
let session: HostileSession;
let target: BridgeTarget;

const registered = (door: FrontDoor, name: string) =>
  untilFound(`the registration of ${name}`, async () => {
    const { mcp_server } = await door.ok<{ mcp_server: McpServer & { registration: McpRegistration } }>(
      'GET',
      `${door.workspace}/mcp-servers/${name}`,
    );
    return mcp_server.registration.status === 'pending' ? null : mcp_server.registration;
  });

async function registerFar(): Promise<void> {
  await ada.ok('PUT', `${ada.workspace}/secrets/FAR_KEY`, { value: key });
  const headers = [{ name: 'Authorization', prefix: 'Bearer ', variable: 'KEY' }];
  const env = { KEY: { kind: 'secret', label: 'Key', required: true } };
  const entry = { name: 'far', shape: { type: 'remote', url: far.url, headers }, manifest: { env } };
  await ada.ok('POST', `${ada.workspace}/mcp-servers`, entry);
  await registered(ada, 'far');
}

const connects = (path: string) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(path, () => resolve(true));
    socket.on('error', () => resolve(false)).on('connect', () => socket.destroy());
  });

describeWith('bwrap', 'slirp4netns')('a server at a URL', () => {
  beforeAll(async () => {
    far = await startFarServer(Object.fromEntries(farAttempts.map(({ what, answer }) => [what, answer])));
    platform = await startPlatform({
      usesRunServers: true,
      withoutDemoSession: true,
      env: { SANDBOX: 'require', PRIVATE_MCP_HOSTS: `http://${far.host}` },
    });
    ada = await FrontDoor.signIn(platform.url, 'ada@demo.test');
    await registerFar();
    session = await HostileSession.start(ada, {
      name: 'beside-a-bridge',
      servers: ['files', 'far'],
      env: { far: { KEY: '${FAR_KEY}' } },
    });
    target = {
      directory: join(platform.dataDirectory, 'sessions', session.id),
      port: far.port,
      addresses: Object.values(networkInterfaces())
        .flatMap((all) => all ?? [])
        .filter(({ internal, family }) => !internal && family === 'IPv4')
        .map(({ address }) => address),
    };
  });
  afterAll(async () => {
    table.print();
    await platform?.stop();
    await far?.close();
  });

  describe('that is malicious', () => {
    it.each(farAttempts.map((attempt) => [attempt.what, attempt] as const))(
      '%s',
      (what, { stoppedBy, agentSees }) =>
        table.note({ what, by: 'server', stoppedBy }, async () => {
          const many = Array.isArray(agentSees) ? agentSees.length : 0;
          expect(await session.run(receiveFarAttack, { argument: { what, many } })).toEqual(agentSees);
        }),
    );

    it('has led nobody elsewhere, and each call is recorded once', async () => {
      expect(far.elsewhere.connections()).toBe(0);
      await eventually(async () => {
        const calls = await ada.toolCalls(session.id);
        expect(calls.filter(({ data }) => data['name'] === 'far')).toHaveLength(farAttempts.length);
      });
      expect(await session.works()).toBe(true);
    });
  });

  describe('and the agent beside its bridge', () => {
    const noted = (what: string, stoppedBy: string, check: () => Promise<void>) =>
      it(what, () => table.note({ what, by: 'agent', stoppedBy }, check));

    noted(
      'connects to the sockets of the bridge',
      'a view of the socket directory for each container',
      async () => {
        const seen = await session.run(connectToBridgeSockets, { argument: target });
        expect(seen).toEqual(seen.map(() => 'ENOENT'));
        // The control: the socket is there.
        expect(readdirSync(join(target.directory, 'servers/far'))).toContain('.host.sock');
        expect(await connects(join(target.directory, 'servers/far/.host.sock'))).toBe(true);
      },
    );

    noted('connects to the server itself', 'an own network namespace', async () => {
      expect(await session.run(connectToFarServer, { argument: target })).not.toContain('connected');
    });

    noted(
      'reads the key of the bridge where processes show theirs',
      'an own process id namespace',
      async () => {
        const text = await session.run(readAllAround);
        expect(text).toContain('CONFIGURED=yes');
        expect(text).not.toContain(key);
        // The control, and a rule of its own: the bridge is there, and its command line holds no credential.
        const bridges = await processesMentioning(far.url);
        expect(bridges.length).toBeGreaterThan(0);
        expect(JSON.stringify(bridges)).not.toContain(key);
      },
    );

    noted(
      'makes the bridge send something else, or elsewhere',
      'a bridge that takes messages alone',
      async () => {
        far.received.length = 0;
        const taken = await session.run(steerBridge, { argument: far.elsewhere.host });
        expect(taken.slice(0, 2)).toEqual([true, true]);
        // The control: what may pass did.
        expect(far.received.length).toBeGreaterThan(10);
        const lines = new Set(far.received.map(({ line }) => line));
        expect([...lines].filter((line) => !/^(POST|GET|DELETE) \/mcp$/.test(line))).toEqual([]);
        for (const { headers } of far.received) {
          expect(headers).toMatchObject({ host: far.host, authorization: `Bearer ${key}` });
          expect(Object.keys(headers).filter((name) => !sentHeaders.has(name))).toEqual([]);
        }
        expect(far.elsewhere.connections()).toBe(0);
      },
    );

    it('leaves the key in no event, no output and no log', async () => {
      expect(JSON.stringify(await ada.events(session.id))).not.toContain(key);
      const processes = `/api/sessions/${session.id}/processes`;
      expect(JSON.stringify(await ada.ok('GET', processes))).not.toContain(key);
      // What the bridge said of the server's answers.
      const output = await eventually(() => ada.ok('GET', `${processes}/server/far/output`));
      expect(JSON.stringify(output)).not.toContain(key);
      expect(platform.output()).not.toContain(key);
    });
  });

  it('leads no tenant to what is private', () =>
    table.note(
      {
        what: 'saves entries whose URLs lead to the machine, in many spellings, and to a metadata service',
        by: 'member',
        stoppedBy: 'one guard of requests, which knows the listed hosts alone',
      },
      async () => {
        const max = await FrontDoor.signIn(platform.url, 'max@demo.test', 'elsewhere');
        await max.ok('POST', '/api/workspaces', { slug: 'elsewhere', name: 'Elsewhere' });
        const { port } = far.elsewhere;
        const hosts = [
          '127.0.0.1',
          'localhost',
          '127.1',
          '2130706433',
          '0x7f.1',
          '[::1]',
          '[::ffff:7f00:1]',
          '0.0.0.0',
        ];
        const urls = [
          ...hosts.flatMap((host) => ['http', 'https'].map((scheme) => `${scheme}://${host}:${port}/mcp`)),
          `http://${far.host}@127.0.0.1:${port}/mcp`,
          platform.url,
          'https://169.254.169.254/latest/meta-data/',
          'http://169.254.169.254/latest/meta-data/',
        ];
        const outcomes = await Promise.all(
          urls.map(async (url, at) => {
            const entry = { name: `leads-${at}`, shape: { type: 'remote', url } };
            const { status } = await max.send('POST', `${max.workspace}/mcp-servers`, entry);
            return status === 201 ? (await registered(max, entry.name)).status : status;
          }),
        );
        expect(outcomes.filter((outcome) => outcome !== 422 && outcome !== 'failed')).toEqual([]);
        expect(far.elsewhere.connections()).toBe(0);
      },
    ));
});
