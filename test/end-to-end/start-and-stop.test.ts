/**
 * `npm start` as a person uses it: started, started twice, stopped, started again, and where it cannot start.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { McpRegistration } from '../../contract/mcp-registration.ts';
import type { PermissionRequest } from '../../contract/permission-request.ts';
import { productName } from '../../contract/product-name.ts';
import { findCgroups } from '../../runtime/process/host/cgroups.ts';
import { limitsSentence } from '../../runtime/process/limits-sentence.ts';
import { eventually, untilFound } from '../support/eventually.ts';
import { chooseTestPort } from '../support/free-port.ts';
import { FrontDoor } from '../support/front-door.ts';
import { type Platform, startPlatform } from '../support/platform.ts';
import { processesMentioning } from '../support/processes.ts';

let dataDirectory: string;
/** The same at each start: the platform registers its own address at the remote server. */
let port: number;
let platform: Platform;
let firstStartMs: number;
beforeAll(async () => {
  dataDirectory = mkdtempSync(join(tmpdir(), 'start-'));
  port = await chooseTestPort();
  firstStartMs = await timed(async () => {
    platform = await startPlatform({ dataDirectory, port, makesDatabase: true, withDemoRemoteServer: true });
  });
});
afterAll(async () => {
  await platform.stop();
  rmSync(dataDirectory, { recursive: true, force: true });
});

async function timed(work: () => Promise<void>): Promise<number> {
  const startedAtMs = performance.now();
  await work();
  return performance.now() - startedAtMs;
}

/** Runs the start-up where it is expected to end by itself. */
function startThatEnds(env: Record<string, string>) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['dist/start.js'], {
    env: { PATH: process.env['PATH'], PORT: '0', TEMPORAL_UI_PORT: '0', DATA_DIR: dataDirectory, ...env },
    encoding: 'utf8',
    timeout: 60_000,
  });
  return { status, stdout, stderr };
}

/** Uses a clone without set-up: only what the start-up itself needs. */
function npmStart(args: string[]) {
  const clone = mkdtempSync(join(tmpdir(), 'clone-'));
  cpSync('scripts', join(clone, 'scripts'), { recursive: true });
  cpSync('package.json', join(clone, 'package.json'));
  const ended = spawnSync('npm', ['start', '--', ...args], { cwd: clone, encoding: 'utf8', timeout: 60_000 });
  expect(readdirSync(clone).sort()).toEqual(['package.json', 'scripts']);
  rmSync(clone, { recursive: true });
  return ended;
}

async function openRequests({ url }: Platform): Promise<PermissionRequest[]> {
  const max = await FrontDoor.signIn(url, 'max@demo.test');
  const answer = await max.ok<{ permission_requests: PermissionRequest[] }>(
    'GET',
    '/api/workspaces/demo/permission-requests?status=open',
  );
  return answer.permission_requests;
}

async function ticketsRegistration(): Promise<McpRegistration> {
  const ada = await FrontDoor.signIn(platform.url, 'ada@demo.test');
  return untilFound('the registration of the remote server', async () => {
    const { mcp_server: entry } = await ada.ok<{ mcp_server: { registration: McpRegistration } }>(
      'GET',
      `${ada.workspace}/mcp-servers/tickets`,
    );
    return entry.registration.status === 'pending' ? null : entry.registration;
  });
}

let registered: McpRegistration;

describe('the start-up', () => {
  it('ends with a session that waits for an approval, and prints its address', async () => {
    const waiting = await openRequests(platform);
    expect(waiting).toHaveLength(1);
    expect(platform.output()).toContain(waiting[0]?.session_id);
  });

  it('adds a remote server that people sign in to, where the platform registers itself', async () => {
    registered = await ticketsRegistration();
    expect(registered).toMatchObject({
      status: 'ready',
      sign_in: 'oauth',
      scopes: ['tickets:read', 'offline_access'],
      client: { kind: 'registered' },
    });
  });

  it('says what limits sandboxes on this machine', () => {
    expect(platform.output()).toContain(limitsSentence(findCgroups()));
  });

  it('creates one user outside of the workspace, whom its admin can add by e-mail', async () => {
    const nora = await FrontDoor.signIn(platform.url, 'nora@demo.test');
    expect((await nora.send('GET', '/api/workspaces/demo')).status).toBe(404);
    const ada = await FrontDoor.signIn(platform.url, 'ada@demo.test');
    const member = { email: 'nora@demo.test', role: 'member' };
    expect((await ada.send('POST', '/api/workspaces/demo/members', member)).status).toBe(201);
    expect((await nora.send('GET', '/api/workspaces/demo')).status).toBe(200);
  });

  it('runs once for each data directory, and names the process that holds it', () => {
    const { status, stderr } = startThatEnds({});
    expect(status).toBe(1);
    expect(stderr).toMatch(/Another start-up \(process \d+\) uses .*DATA_DIR/);
  });

  it('is ready again about as quickly as the first time, with one waiting session', async () => {
    // Other load on this machine slows down some of the starts; a wait in the product slows down each.
    let fastest = Number.POSITIVE_INFINITY;
    for (let round = 0; round < 3 && fastest / firstStartMs >= 2; round += 1) {
      await platform.stop({ keepData: true });
      expect(await processesMentioning(dataDirectory)).toEqual([]);
      const startMs = await timed(async () => {
        platform = await startPlatform({ dataDirectory, port, withDemoRemoteServer: true });
      });
      fastest = Math.min(fastest, startMs);
    }
    expect(fastest / firstStartMs).toBeLessThan(2);
    await eventually(async () => expect(await openRequests(platform)).toHaveLength(1));
  });

  it('finds its client at the remote server again, at the same address', async () => {
    const ada = await FrontDoor.signIn(platform.url, 'ada@demo.test');
    await ada.ok('POST', `${ada.workspace}/mcp-servers/tickets/registration/retry`);
    const { status, client, parties } = await ticketsRegistration();
    expect({ status, client, parties }).toEqual({
      status: 'ready',
      client: registered.client,
      parties: registered.parties,
    });
    expect((await fetch(`${parties?.issuer}/.well-known/oauth-authorization-server`)).status).toBe(200);
  });

  it('refuses keys that do not open the stored data, and stops what it had started', async () => {
    await platform.stop({ keepData: true });
    const file = join(dataDirectory, 'keys.json');
    const keys = JSON.parse(readFileSync(file, 'utf8'));
    const foreign = { ...keys, master_keys: `k1:${Buffer.alloc(32, 7).toString('base64')}` };
    writeFileSync(file, JSON.stringify(foreign));
    const { status, stderr } = startThatEnds({});
    expect(status).toBe(1);
    expect(stderr).toContain('MASTER_KEYS');
    expect(await processesMentioning(dataDirectory)).toEqual([]);
  });

  it('names the port that is taken, and starts nothing', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const { status, stderr } = startThatEnds({ PORT: String(port) });
    other.close();
    expect(status).toBe(1);
    expect(stderr).toContain(`Port ${port} is taken`);
    expect(await processesMentioning(dataDirectory)).toEqual([]);
  });

  it.each(['--help', '-h'])('prints its usage immediately, without any set-up (%s)', (option) => {
    const { status, stdout } = npmStart([option]);
    expect(status).toBe(0);
    for (const variable of ['PORT', 'TEMPORAL_UI_PORT', 'DATA_DIR', 'DATABASE_URL', 'TEMPORAL_ADDRESS']) {
      expect(stdout).toContain(variable);
    }
  });

  it('refuses an argument that it does not know, without any set-up', () => {
    const { status, stderr } = npmStart(['--port=1']);
    expect(status).toBe(2);
    expect(stderr).toContain('"--port=1"');
  });

  it('stops in order when npm itself is signalled, as by a supervisor', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'npm-start-'));
    const npm = spawn('npm', ['start'], {
      env: { ...process.env, PORT: '0', TEMPORAL_UI_PORT: '0', DATA_DIR: directory },
    });
    let output = '';
    npm.stdout.on('data', (chunk) => {
      output += chunk;
    });
    const closed = once(npm, 'close');
    await eventually(() => expect(output).toContain(`${productName} is ready.`), { withinMs: 240_000 });
    npm.kill('SIGTERM');
    await closed;
    expect(output).toContain('Stopped.');
    await eventually(async () => expect(await processesMentioning(directory)).toEqual([]));
    expect(existsSync(join(directory, 'start.lock'))).toBe(false);
    rmSync(directory, { recursive: true, force: true });
  });

  it('reports every wrong variable at once', () => {
    const { status, stderr } = startThatEnds({ PORT: 'http', DATABASE_URL: 'mysql://h/db' });
    expect(status).toBe(1);
    expect(stderr).toContain('PORT');
    expect(stderr).toContain('DATABASE_URL');
  });
});
