/** Packages of `npx` and `uvx` entries: loaded once by a sandbox through the platform's proxy, then run from a cache (docs/decisions/0030). */
import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { processReport } from '../../../contract/session-process.ts';
import type { PackageCacheOptions } from '../../../runtime/process/packages/open-session-packages.ts';
import type { ProcessWorkloadSpec } from '../../../runtime/process/workload-spec.ts';
import type { Runtime } from '../../../runtime/workload.ts';
import { eventually } from '../../support/eventually.ts';
import { configuration, serverNamed } from '../../support/frozen-configuration.ts';
import {
  type PackageRegistry,
  registryPassword,
  startPackageRegistry,
} from '../../support/package-registry.ts';
import { describeWith } from '../../support/sandbox-programs.ts';
import { describeWithUv, uvProgram } from '../../support/uv.ts';
import { node, secretsWith, speaksToServers, stays } from './driver-under-test.ts';
import { type ProcessDriver, processDriver } from './process-driver.ts';
import { type Reports, takeReports } from './reports.ts';

/** Tells what it is and what it can do, and answers the first request. */
const server = `#!/usr/bin/env node
const fs = require('node:fs');
const attempt = (work) => { try { return work() ?? 'done'; } catch (error) { return error.code; } };
const here = __dirname;
process.stdin.once('data', () => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id: 1, result: {} }) + '\\n'));
console.error('TOLD ' + JSON.stringify({
  version: require('./package.json').version,
  args: process.argv.slice(2),
  writes: [attempt(() => fs.writeFileSync(__filename, 'x')), attempt(() => fs.writeFileSync(here + '/new', 'x')),
    attempt(() => fs.unlinkSync(__filename)), attempt(() => fs.chmodSync(__filename, 0o777))],
  installed: attempt(() => JSON.parse(fs.readFileSync(here + '/seen.json', 'utf8'))),
}));
setInterval(() => {}, 1000);
`;

/** An install script: everything that it can find, and what answers it. */
const installScript = (privatePorts: number[]) => `
const fs = require('node:fs'), http = require('node:http'), net = require('node:net');
const attempt = (work) => { try { return work(); } catch (error) { return error.code; } };
const connect = (to) => new Promise((resolve) => { const socket = net.connect(to, () => { socket.destroy(); resolve('connected'); })
  .on('error', ({ code }) => resolve(code)); setTimeout(() => resolve('silence'), 1500); });
const ask = (method, path) => new Promise((resolve) => http.request({ port: 4873, host: '127.0.0.1', method, path }, (response) => {
  let body = ''; response.on('data', (piece) => { body += piece; });
  response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, body: body.slice(0, 20000) })); })
  .on('error', ({ code }) => resolve({ status: code })).end());
(async () => {
  const proc = fs.readdirSync('/proc').filter((name) => /^\\d+$/.test(name))
    .flatMap((pid) => ['environ', 'cmdline'].map((file) => attempt(() => fs.readFileSync('/proc/' + pid + '/' + file, 'utf8'))));
  const answers = await Promise.all([['PUT', '/npm/probe-server'], ['POST', '/npm/-/npm/v1/security/audits'], ['DELETE', '/npm/probe-server'],
    ['GET', '/npm/-/whoami'], ['GET', '/npm/-/npm/v1/tokens'], ['GET', '/npm/probe-server/1.0.0'], ['GET', '/file/x/y'], ['GET', '/'],
    ['GET', '/npm/..%2fsimple'], ['GET', 'http://127.0.0.1:${privatePorts[0]}/npm/probe-server'], ['GET', '/npm/probe-server']]
    .map(([method, path]) => ask(method, path)));
  fs.writeFileSync(process.cwd() + '/seen.json', JSON.stringify({
    env: process.env, proc, answers,
    root: fs.readdirSync('/'), run: fs.readdirSync('/run', { recursive: true }), workspace: fs.readdirSync('/workspace'),
    interfaces: fs.readFileSync('/proc/net/dev', 'utf8').split('\\n').slice(2).map((line) => line.split(':')[0].trim()).filter(Boolean),
    reached: await Promise.all([{ host: '93.184.216.34', port: 80 }, ...${JSON.stringify(privatePorts)}.map((port) => ({ host: '127.0.0.1', port }))].map(connect)),
  }));
})();
`;

const cacheDirectory = mkdtempSync(join(tmpdir(), 'packages-'));
const workspaceId = randomUUID();
let registry: PackageRegistry;
let reports: Reports;
const drivers: ProcessDriver[] = [];

async function open(changes: Partial<PackageCacheOptions> = {}): Promise<Runtime<ProcessWorkloadSpec>> {
  return openDriver(changes).open(reports.url);
}

function openDriver(changes: Partial<PackageCacheOptions> = {}): ProcessDriver {
  const driver = processDriver({
    packages: { npmRegistryUrl: registry.npmUrl, pypiIndexUrl: registry.pypiUrl, caFile: null },
    packageCache: {
      directory: cacheDirectory,
      npmRegistryToken: registryPassword,
      pypiIndexToken: registryPassword,
      outboundProxy: null,
      privateHosts: [],
      uvProgram,
      maxBytes: 64 * 1024 * 1024,
      maxFiles: 10_000,
      workspaceBytes: 256 * 1024 * 1024,
      refreshAfterMs: 3_600_000,
      deadlineMs: 60_000,
      ...changes,
    },
  });
  drivers.push(driver);
  return driver;
}

interface Started {
  id: string;
  tookMs: number;
  // biome-ignore lint/suspicious/noExplicitAny: what the server told, whatever that is.
  told: any;
}

const frozenWith = (command: string, args: string[], of = workspaceId) =>
  configuration({
    session_id: randomUUID(),
    workspace_id: of,
    agent: node(`${speaksToServers} ${stays}`),
    servers: [serverNamed('probe', { shape: { type: 'command', command, args }, network: 'internet' })],
  });

async function start(
  runtime: Runtime<ProcessWorkloadSpec>,
  args: string[],
  { of = workspaceId, command = 'npx' } = {},
): Promise<Started> {
  const frozen = frozenWith(command, args, of);
  const id = frozen.session_id;
  const before = Date.now();
  await runtime.start(runtime.render(frozen), secretsWith(id));
  const tookMs = Date.now() - before;
  const told = await eventually(async () => {
    const log = await runtime.logs(id, 'mcp-probe', 1_000_000);
    const line = log.split('\n').find((each) => each.startsWith('TOLD '));
    expect({ line, log }).toMatchObject({ line: expect.any(String) });
    return JSON.parse(line?.slice(5) ?? 'null');
  });
  await runtime.stop(id);
  return { id, tookMs, told };
}

/** Starts a session whose server gets no packages: the report of it, and what it is said to have written. */
async function fails(runtime: Runtime<ProcessWorkloadSpec>, args: string[], command = 'npx') {
  const frozen = frozenWith(command, args);
  const id = frozen.session_id;
  const before = Date.now();
  await runtime.start(runtime.render(frozen), secretsWith(id));
  const report = await eventually(() => {
    const all = reports.of(id, 'processes').map(({ body }) => processReport.parse(body));
    const failed = all.findLast(({ name, state }) => name === 'probe' && state === 'failed');
    expect(failed).toBeDefined();
    return failed;
  });
  const tookMs = Date.now() - before;
  const text = await eventually(async () => {
    const log = await runtime.logs(id, 'mcp-probe', 100_000);
    expect(log).toContain('The platform');
    return log;
  });
  await runtime.stop(id);
  return { cause: report?.cause, text, tookMs };
}

const keysOf = (workspace: string) =>
  readdirSync(join(cacheDirectory, workspace)).filter((name) => /^[0-9a-f]{64}$/.test(name));
/** Every file of the cache. */
const cached = () =>
  readdirSync(cacheDirectory, { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? [join(entry.parentPath, entry.name)] : [],
  );

beforeAll(async () => {
  registry = await startPackageRegistry();
  reports = await takeReports();
});
afterEach(() => {
  registry.interfere(() => false);
  registry.requests.length = 0;
});
afterAll(async () => {
  for (const driver of drivers) {
    driver.remove();
  }
  await reports.close();
  await registry.close();
  rmSync(cacheDirectory, { recursive: true, force: true });
});

const cachedBut = (name: string) => cached().filter((path) => !path.endsWith(`/${name}`));

describeWith('bwrap')('packages of npx entries', () => {
  beforeAll(() => {
    const scripts = { postinstall: 'node look.js' };
    const more = { bin: { 'probe-server': 'server.js' }, dependencies: { leftover: '^1.0.0' }, scripts };
    const look = installScript([registry.port, Number(new URL(reports.url).port)]);
    registry.publishNpm('leftover', '1.2.0', { files: { 'index.js': 'module.exports = 1;' } });
    registry.publishNpm('probe-server', '1.0.0', { files: { 'server.js': server, 'look.js': look }, more });
  });
  it('are loaded at the first start; the second asks no registry and is quicker, also by another worker', async () => {
    const runtime = await open();
    const first = await start(runtime, ['-y', 'probe-server', '--flag', 'a b']);
    expect(first.told).toMatchObject({ version: '1.0.0', args: ['--flag', 'a b'] });
    expect(registry.requests).toContain('/npm/probe-server');
    registry.requests.length = 0;

    const second = await start(await open(), ['-y', 'probe-server', 'other']);
    expect(second.told).toMatchObject({ version: '1.0.0', args: ['other'] });
    expect(registry.requests).toEqual([]);
    expect(second.tookMs).toBeLessThan(first.tookMs * 0.8);
  });

  it('cannot be changed by the server that runs from them', async () => {
    const { told } = await start(await open(), ['-y', 'probe-server']);
    expect(told.writes).toEqual(['EROFS', 'EROFS', 'EROFS', 'EROFS']);
  });

  it('an install script sees no secret, reaches the proxy alone, and gets nothing from it but packages', async () => {
    const { told } = await start(await open(), ['-y', 'probe-server']);
    const { installed } = told;
    const statuses = installed.answers.map(({ status }: { status: number }) => status);
    expect(statuses).toEqual([405, 405, 405, 403, 403, 403, 403, 403, 403, 403, 200]);
    expect(installed.reached).toEqual(['ENETUNREACH', 'ECONNREFUSED', 'ECONNREFUSED']);
    expect(installed.interfaces).toEqual(['lo']);
    expect(installed.run.sort()).toEqual([
      'platform',
      'platform/mcp',
      'platform/mcp/registry.sock',
      'platform/mcp/result.sock',
    ]);
    const all = JSON.stringify(installed);
    const [, password = ''] = registryPassword.split(':');
    for (const secret of [
      password,
      Buffer.from(registryPassword).toString('base64'),
      String(registry.port),
    ]) {
      expect(all).not.toContain(secret);
      // The script itself knows the port.
      for (const file of cachedBut('look.js')) {
        expect(readFileSync(file, 'latin1')).not.toContain(secret);
      }
    }
    expect(Object.keys(installed.env).filter((name) => /TOKEN|SECRET|KEY|PASSWORD/.test(name))).toEqual([]);
  });

  it('one byte that was changed on the disk is found, and they are loaded again', async () => {
    const runtime = await open();
    await start(runtime, ['-y', 'probe-server']);
    registry.requests.length = 0;
    const serverFile = () => cached().find((path) => path.endsWith('/server.js')) ?? '';
    const file = serverFile();
    const text = readFileSync(file, 'utf8');
    chmodSync(file, 0o755);
    writeFileSync(file, text.replace('TOLD', 'LIED'));
    chmodSync(file, 0o555);
    expect((await start(runtime, ['-y', 'probe-server'])).told).toMatchObject({ version: '1.0.0' });
    expect(registry.requests).toContain('/npm/probe-server');
    expect(cached().filter((path) => readFileSync(path, 'latin1').includes('LIED'))).toEqual([]);

    registry.requests.length = 0;
    writeFileSync(join(serverFile(), '../added.js'), 'module.exports = 2;');
    await start(runtime, ['-y', 'probe-server']);
    expect(registry.requests).toContain('/npm/probe-server');
  });

  it('of one workspace are not those of another', async () => {
    const runtime = await open();
    await start(runtime, ['-y', 'probe-server']);
    registry.requests.length = 0;
    const other = randomUUID();
    await start(runtime, ['-y', 'probe-server'], { of: other });
    expect(registry.requests).toContain('/npm/probe-server');
    expect(keysOf(other)).toEqual(keysOf(workspaceId).filter((key) => keysOf(other).includes(key)));
    expect(keysOf(other)).toHaveLength(1);
  });

  it('without a version are asked for again after a time, and used as they are while the registry is away', async () => {
    registry.publishNpm('moving', '1.0.0', { files: { 'server.js': server }, more: { bin: 'server.js' } });
    const patient = await open();
    const impatient = await open({ refreshAfterMs: 1 });
    expect((await start(patient, ['-y', 'moving'])).told.version).toBe('1.0.0');
    registry.publishNpm('moving', '1.1.0', { files: { 'server.js': server }, more: { bin: 'server.js' } });
    expect((await start(patient, ['-y', 'moving'])).told.version).toBe('1.0.0');
    expect((await start(impatient, ['-y', 'moving'])).told.version).toBe('1.1.0');
    expect((await start(impatient, ['-y', 'moving@1.0.0'])).told.version).toBe('1.0.0');
    registry.requests.length = 0;
    expect((await start(impatient, ['-y', 'moving@1.0.0'])).told.version).toBe('1.0.0');
    expect(registry.requests).toEqual([]);

    registry.interfere((request) => {
      request.socket.destroy();
      return true;
    });
    expect((await start(impatient, ['-y', 'moving'])).told.version).toBe('1.1.0');
    expect(registry.requests).not.toEqual([]);
  });

  it('that cannot be had fail the server with the cause, in seconds, and say why', async () => {
    const runtime = await open();
    expect(await fails(runtime, ['-y', 'no-such-package'])).toMatchObject({
      text: expect.stringContaining('no-such-package'),
    });
    registry.interfere((request) => {
      request.socket.destroy();
      return true;
    });
    const away = await fails(runtime, ['-y', 'never-seen']);
    expect(away).toMatchObject({
      cause: 'registry_unreachable',
      text: expect.stringContaining('ECONNRESET'),
    });
    expect(away.tookMs).toBeLessThan(20_000);

    registry.interfere((_request, response) => {
      response.writeHead(401).end();
      return true;
    });
    const refused = await fails(runtime, ['-y', 'never-seen']);
    expect(refused).toMatchObject({
      cause: 'registry_unreachable',
      text: expect.stringContaining('NPM_REGISTRY_TOKEN'),
    });
  });

  it('come through the proxy of the operator, where there is one', async () => {
    const asked: (string | undefined)[][] = [];
    const outbound = createServer();
    outbound.on('connect', (request, client) => {
      asked.push([request.url, request.headers['proxy-authorization']]);
      const target = connect(registry.port, '127.0.0.1', () => {
        client.write('HTTP/1.1 200 OK\r\n\r\n');
        client.pipe(target).pipe(client);
      });
      target.on('error', () => client.destroy());
      client.on('error', () => target.destroy());
    });
    await new Promise<void>((resolve) => outbound.listen(0, '127.0.0.1', resolve));
    const { port } = outbound.address() as AddressInfo;
    const url = `http://proxy-user:proxy-password@127.0.0.1:${port}`;
    const runtime = await open({ outboundProxy: { url, except: [] } });
    await start(runtime, ['-y', 'probe-server'], { of: randomUUID() });
    const basic = `Basic ${Buffer.from('proxy-user:proxy-password').toString('base64')}`;
    expect(asked).toContainEqual([`127.0.0.1:${registry.port}`, basic]);
    asked.length = 0;
    const direct = await open({ outboundProxy: { url, except: ['127.0.0.1'] } });
    await start(direct, ['-y', 'probe-server'], { of: randomUUID() });
    expect(asked).toEqual([]);
    outbound.close();
    outbound.closeAllConnections();
  });

  it('a redirect to another private address is refused, and its host hears nothing', async () => {
    const heard: unknown[] = [];
    const elsewhere = createServer((request, response) => {
      heard.push(request.headers);
      response.end();
    });
    await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
    const { port } = elsewhere.address() as AddressInfo;
    registry.publishNpm('moved-away', '1.0.0', {
      files: { 'server.js': server },
      more: { bin: 'server.js' },
    });
    registry.interfere((request, response) => {
      const isTarball = request.url?.endsWith('.tgz') ?? false;
      if (isTarball) {
        response.writeHead(302, { location: `http://127.0.0.1:${port}/x.tgz` }).end();
      }
      return isTarball;
    });
    const { cause } = await fails(await open(), ['-y', 'moved-away']);
    expect(cause).toBe('registry_unreachable');
    expect(heard).toEqual([]);
    elsewhere.close();
  });

  it('too large, too many or without a program are refused, and nothing of them stays', async () => {
    const big = { 'server.js': server, 'big.bin': 'x'.repeat(2 * 1024 * 1024) };
    registry.publishNpm('big-server', '1.0.0', { files: big, more: { bin: 'server.js' } });
    registry.publishNpm('no-program', '1.0.0', { files: { 'index.js': '' } });
    const before = cached();
    const small = await open({ maxBytes: 1024 * 1024 });
    expect((await fails(small, ['-y', 'big-server'])).text).toMatch(/PACKAGE_MAX_BYTES|ENOSPC/);
    const few = await open({ maxFiles: 2 });
    expect((await fails(few, ['-y', 'big-server'])).text).toContain('PACKAGE_MAX_FILES');
    expect((await fails(few, ['-y', 'no-program'])).text).toContain('no program');
    const full = await open({ workspaceBytes: 1024 });
    expect((await fails(full, ['-y', 'big-server'])).text).toContain('PACKAGE_CACHE_BYTES');
    expect(cached().filter((path) => path.includes('big.bin') || path.includes('unfinished'))).toEqual([]);
    expect(before.length).toBeGreaterThan(0);
  });

  it('a worker that is killed while it loads leaves nothing that keeps the next from it', async () => {
    registry.publishNpm('slow-server', '1.0.0', {
      files: { 'server.js': server },
      more: { bin: 'server.js' },
    });
    let isHeld = false;
    registry.interfere((request) => {
      isHeld ||= request.url?.endsWith('.tgz') ?? false;
      return isHeld;
    });
    const driver = openDriver();
    const runtime = await driver.open(reports.url);
    const frozen = frozenWith('npx', ['-y', 'slow-server']);
    const spec = runtime.render(frozen);
    const worker = driver.startInProcess(reports.url, spec, secretsWith(frozen.session_id), 600_000);
    await eventually(() => expect(isHeld).toBe(true), { withinMs: 150_000 });
    worker.kill('SIGKILL');
    const loading = () =>
      readdirSync('/proc').filter((pid) => {
        try {
          return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('"slow-server"');
        } catch {
          return false;
        }
      });
    await eventually(() => expect(loading()).toEqual([]));
    registry.interfere(() => false);
    await runtime.stop(frozen.session_id);
    expect((await start(runtime, ['-y', 'slow-server'])).told.version).toBe('1.0.0');
    expect(
      readdirSync(join(cacheDirectory, workspaceId)).filter((name) => name.startsWith('unfinished')),
    ).toEqual([]);
  });

  it('are given up when the session is stopped meanwhile', async () => {
    registry.publishNpm('held-server', '1.0.0', {
      files: { 'server.js': server },
      more: { bin: 'server.js' },
    });
    let isHeld = false;
    registry.interfere((request) => {
      isHeld ||= request.url?.endsWith('.tgz') ?? false;
      return isHeld;
    });
    const runtime = await open();
    const frozen = frozenWith('npx', ['-y', 'held-server']);
    const starting = runtime.start(runtime.render(frozen), secretsWith(frozen.session_id)).catch(String);
    await eventually(() => expect(isHeld).toBe(true));
    await runtime.stop(frozen.session_id);
    expect(await starting).toContain('being stopped');
    expect(await runtime.inspect(frozen.session_id)).toEqual({ state: 'absent' });
  });

  it('those in use are kept when there is no more room, and others go', async () => {
    const files = { 'server.js': server, 'some.bin': 'y'.repeat(600 * 1024) };
    for (const name of ['room-one', 'room-two', 'room-three']) {
      registry.publishNpm(name, '1.0.0', { files, more: { bin: 'server.js' } });
    }
    const of = randomUUID();
    const runtime = await open({ workspaceBytes: 1.5 * 1024 * 1024 });
    const frozen = frozenWith('npx', ['-y', 'room-one'], of);
    await runtime.start(runtime.render(frozen), secretsWith(frozen.session_id));
    await start(runtime, ['-y', 'room-two'], { of });
    await start(runtime, ['-y', 'room-three'], { of });
    registry.requests.length = 0;
    await start(runtime, ['-y', 'room-one'], { of });
    expect(registry.requests).toEqual([]);
    await start(runtime, ['-y', 'room-two'], { of });
    expect(registry.requests).toContain('/npm/room-two');
    await runtime.stop(frozen.session_id);
    expect(existsSync(join(cacheDirectory, of))).toBe(true);
  });
});

const python = (version: string) => ({
  'time_server/__init__.py': `import json, os, sys
def attempt(work):
    try:
        work()
        return 'done'
    except OSError as error:
        return error.errno
def main():
    sys.stdin.readline()
    print(json.dumps({'jsonrpc': '2.0', 'id': 1, 'result': {}}), flush=True)
    told = {'version': '${version}', 'args': sys.argv[1:], 'writes': attempt(lambda: open(__file__, 'w'))}
    print('TOLD ' + json.dumps(told), file=sys.stderr, flush=True)
    sys.stdin.read()
`,
});

describeWith('bwrap')('packages of uvx entries', () => {
  it('fail with a sentence where uv is missing', async () => {
    const runtime = await open({ uvProgram: '/no/such/uv' });
    const { text } = await fails(runtime, ['time-server'], 'uvx');
    expect(text).toContain('The platform could not load the packages');
  });

  describeWithUv('with uv', () => {
    it('are loaded at the first start; the second asks no registry, and cannot change them', async () => {
      registry.publishWheel('time_server', '1.0.0', python('1.0.0'));
      const runtime = await open();
      const first = await start(runtime, ['time-server', '--zone', 'UTC'], { command: 'uvx' });
      expect(first.told).toEqual({ version: '1.0.0', args: ['--zone', 'UTC'], writes: 30 });
      expect(registry.requests).toContain('/simple/time-server/');
      registry.publishWheel('time_server', '1.1.0', python('1.1.0'));
      registry.requests.length = 0;
      const second = await start(runtime, ['time-server'], { command: 'uvx' });
      expect(second.told.version).toBe('1.0.0');
      expect(registry.requests).toEqual([]);
      expect(second.tookMs).toBeLessThan(first.tookMs);
      const named = await start(runtime, ['--from', 'time-server==1.1.0', 'time-server'], { command: 'uvx' });
      expect(named.told.version).toBe('1.1.0');
      const secrets = [registryPassword.split(':')[1] ?? '', String(registry.port)];
      for (const file of cachedBut('look.js')) {
        expect(secrets.filter((secret) => readFileSync(file, 'latin1').includes(`:${secret}`))).toEqual([]);
      }
    });
  });
});
