/** Registries that fail or redirect elsewhere, packages that are too large, workers that are killed. */
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import pino from 'pino';
import { eventually } from '../../../support/eventually.ts';
import { describeWith } from '../../../support/sandbox-programs.ts';
import { secretsWith } from '../driver-under-test.ts';
import {
  cacheDirectory,
  cached,
  fails,
  failsOffline,
  frozenWith,
  open,
  openDriver,
  registry,
  reportsUrl,
  start,
  usePackageRegistry,
  workspaceId,
} from './package-sessions.ts';
import { server } from './package-sources.ts';

usePackageRegistry();

describeWith('bwrap')('packages', () => {
  it('that are unavailable fail the server with the cause, within seconds', async () => {
    const runtime = await open();
    for (const spec of ['no-such-package', 'probe-server@9.9.9']) {
      expect(await fails(runtime, ['-y', spec])).toMatchObject({
        cause: 'package_not_found',
        text: expect.stringContaining(spec),
      });
    }
    registry().interfere((request) => {
      request.socket.destroy();
      return true;
    });
    const away = await fails(runtime, ['-y', 'never-seen']);
    expect(away).toMatchObject({
      cause: 'registry_unreachable',
      text: expect.stringContaining('ECONNRESET'),
    });

    registry().interfere((_request, response) => {
      response.writeHead(401).end();
      return true;
    });
    const refused = await fails(runtime, ['-y', 'never-seen']);
    expect(refused).toMatchObject({
      cause: 'registry_unreachable',
      text: expect.stringContaining('NPM_REGISTRY_TOKEN'),
    });
  });

  it('that a package manager without a network cannot load fail the server with this cause', async () => {
    const runtime = await open();
    const npx = await failsOffline(runtime, { command: 'npx', args: ['-y', 'probe-server'] });
    expect(npx).toEqual({ cause: 'packages_need_network', text: expect.stringContaining('npm error') });
    expect(registry().requests).toEqual([]);
  });

  it('are not reported as the cause when a server without a network fails to connect by itself', async () => {
    const runtime = await open();
    const connect = `require('node:net').connect(443, '192.0.2.1')`;
    const own = await failsOffline(runtime, { command: 'node', args: ['-e', connect] });
    expect(own).toEqual({ cause: 'network_unreachable', text: expect.stringContaining('192.0.2.1') });
  });

  it('log their cause and the size of the package manager’s output, which only admins can read', async () => {
    const told = 'https://registry.internal.example/?token=of-the-registry';
    const scripts = { postinstall: `echo ${told} >&2; exit 3` };
    const parts = { files: { 'server.js': server }, more: { bin: 'server.js', scripts } };
    registry().publishNpm('tells-all', '1.0.0', parts);
    const lines: string[] = [];
    const logger = pino({}, { write: (line) => lines.push(line) });
    const { cause, text } = await fails(await open({}, logger), ['-y', 'tells-all']);
    expect({ cause, text }).toEqual({ cause: 'exited', text: expect.stringContaining(told) });
    const logged = lines.filter((line) => line.includes('no packages for a server'));
    expect(logged.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({ server: 'probe', cause: 'exited', writtenBytes: expect.any(Number) }),
    ]);
    expect(JSON.parse(logged[0] ?? '{}').writtenBytes).toBeGreaterThan(told.length);
    expect(lines.join()).not.toContain('of-the-registry');
  });

  it.each([
    ['never answers', () => undefined],
    ['stops in the middle of a file', (response: ServerResponse) => response.writeHead(200).write('half')],
  ])('of a registry that %s fail within the timeout of a load', async (_, hang) => {
    const name = `hung-${randomUUID()}`;
    registry().publishNpm(name, '1.0.0', { files: { 'server.js': server }, more: { bin: 'server.js' } });
    let asked = 0;
    registry().interfere((request, response) => {
      const isTarball = request.url?.endsWith('.tgz') ?? false;
      if (isTarball) {
        asked += 1;
        hang(response);
      }
      return isTarball;
    });
    // On a busy machine the package manager needs longer to get as far as the registry.
    let deadlineMs = 5000;
    let failed = await fails(await open({ deadlineMs }), ['-y', name]);
    while (asked === 0 && deadlineMs < 60_000) {
      deadlineMs *= 2;
      failed = await fails(await open({ deadlineMs }), ['-y', name]);
    }
    expect(asked).toBeGreaterThan(0);
    expect(failed).toMatchObject({
      cause: 'registry_unreachable',
      text: expect.stringContaining('PACKAGE_LOAD_SECONDS'),
    });
    expect(failed.tookMs).toBeGreaterThan(deadlineMs - 100);
    expect(cached().filter((path) => path.includes('unfinished'))).toEqual([]);
  });

  it('a redirect to another private address is refused, and its host is not contacted', async () => {
    const heard: unknown[] = [];
    const elsewhere = createServer((request, response) => {
      heard.push(request.headers);
      response.end();
    });
    await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
    const { port } = elsewhere.address() as AddressInfo;
    registry().publishNpm('moved-away', '1.0.0', {
      files: { 'server.js': server },
      more: { bin: 'server.js' },
    });
    registry().interfere((request, response) => {
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

  it('too large, too many or without a program are refused, and nothing of them is left', async () => {
    const big = { 'server.js': server, 'big.bin': 'x'.repeat(2 * 1024 * 1024) };
    registry().publishNpm('big-server', '1.0.0', { files: big, more: { bin: 'server.js' } });
    registry().publishNpm('no-program', '1.0.0', { files: { 'index.js': '' } });
    const small = await open({ maxBytes: 1024 * 1024 });
    expect((await fails(small, ['-y', 'big-server'])).text).toMatch(/PACKAGE_MAX_BYTES|ENOSPC/);
    const few = await open({ maxFiles: 2 });
    expect((await fails(few, ['-y', 'big-server'])).text).toContain('PACKAGE_MAX_FILES');
    expect((await fails(few, ['-y', 'no-program'])).text).toContain('no program');
    const full = await open({ workspaceBytes: 1024 });
    expect((await fails(full, ['-y', 'big-server'])).text).toContain('PACKAGE_CACHE_BYTES');
    expect(cached().filter((path) => path.includes('big.bin') || path.includes('unfinished'))).toEqual([]);
  });

  it('a worker that is killed while it loads does not block the next one', async () => {
    registry().publishNpm('slow-server', '1.0.0', {
      files: { 'server.js': server },
      more: { bin: 'server.js' },
    });
    let isHeld = false;
    registry().interfere((request) => {
      isHeld ||= request.url?.endsWith('.tgz') ?? false;
      return isHeld;
    });
    const driver = openDriver();
    const runtime = await driver.open(reportsUrl());
    const frozen = frozenWith('npx', ['-y', 'slow-server']);
    const spec = runtime.render(frozen);
    const worker = driver.startInProcess(reportsUrl(), spec, secretsWith(frozen.session_id), 600_000);
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
    registry().interfere(() => false);
    await runtime.stop(frozen.session_id);
    expect((await start(runtime, ['-y', 'slow-server'])).told.version).toBe('1.0.0');
    expect(
      readdirSync(join(cacheDirectory, workspaceId)).filter((name) => name.startsWith('unfinished')),
    ).toEqual([]);
  });

  it('are given up when the session is stopped meanwhile', async () => {
    registry().publishNpm('held-server', '1.0.0', {
      files: { 'server.js': server },
      more: { bin: 'server.js' },
    });
    let isHeld = false;
    registry().interfere((request) => {
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

  it('those in use are kept when the cache is full, and others are evicted', async () => {
    const files = { 'server.js': server, 'some.bin': 'y'.repeat(600 * 1024) };
    for (const name of ['room-one', 'room-two', 'room-three']) {
      registry().publishNpm(name, '1.0.0', { files, more: { bin: 'server.js' } });
    }
    const of = randomUUID();
    const runtime = await open({ workspaceBytes: 1.5 * 1024 * 1024 });
    const frozen = frozenWith('npx', ['-y', 'room-one'], of);
    await runtime.start(runtime.render(frozen), secretsWith(frozen.session_id));
    await start(runtime, ['-y', 'room-two'], { of });
    await start(runtime, ['-y', 'room-three'], { of });
    registry().requests.length = 0;
    await start(runtime, ['-y', 'room-one'], { of });
    expect(registry().requests).toEqual([]);
    await start(runtime, ['-y', 'room-two'], { of });
    expect(registry().requests).toContain('/npm/room-two');
    await runtime.stop(frozen.session_id);
    expect(existsSync(join(cacheDirectory, of))).toBe(true);
  });
});
