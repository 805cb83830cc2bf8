/** Registries that fail or redirect elsewhere, packages that are too large, workers that are killed. */
import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import pino from 'pino';
import { eventually } from '../../../support/eventually.ts';
import { describeWith } from '../../../support/sandbox-programs.ts';
import { secretsWith } from '../driver-under-test.ts';
import type { ProcessDriver } from '../process-driver.ts';
import {
  cacheDirectory,
  cached,
  fails,
  failsOffline,
  frozenWith,
  load,
  openDriver,
  openLoader,
  registry,
  reportsUrl,
  sessionsOfLoaders,
  usePackageRegistry,
  workspaceId,
} from './package-sessions.ts';
import { server } from './package-sources.ts';

usePackageRegistry();

const npmServer = (more: object = {}) => ({
  files: { 'server.js': server },
  more: { bin: 'server.js', ...more },
});
const isTarball = (url: string | undefined) => url?.endsWith('.tgz') ?? false;

let driver: ProcessDriver | null = null;
let opened: ReturnType<ProcessDriver['open']> | null = null;
/** One for the file: what a worker tries of its machine at its start takes longer than a load. */
const ofFile = () => {
  driver ??= openDriver();
  opened ??= driver.open(reportsUrl());
  return { driver, opened };
};

describeWith('bwrap')('packages', () => {
  it('that are unavailable fail the server with the cause', async () => {
    expect(await fails(await ofFile().opened, ['-y', 'probe-server@9.9.9'])).toMatchObject({
      cause: 'package_not_found',
      text: expect.stringContaining('probe-server@9.9.9'),
    });
    const loader = await openLoader();
    expect(await load(loader, ['-y', 'no-such-package'])).toMatchObject({
      cause: 'package_not_found',
      text: expect.stringContaining('no-such-package'),
    });
    registry().interfere((request) => {
      request.socket.destroy();
      return true;
    });
    const away = await load(loader, ['-y', 'never-seen']);
    expect(away).toMatchObject({
      cause: 'registry_unreachable',
      text: expect.stringContaining('ECONNRESET'),
    });
    // npm's own attempts, and none beside them.
    expect(registry().requests).toHaveLength(6);

    registry().interfere((_request, response) => {
      response.writeHead(401).end();
      return true;
    });
    const refused = await load(loader, ['-y', 'never-seen']);
    expect(refused).toMatchObject({
      cause: 'registry_unreachable',
      text: expect.stringContaining('NPM_REGISTRY_TOKEN'),
    });
  });

  it('that a package manager without a network cannot load fail the server with this cause', async () => {
    const runtime = await ofFile().opened;
    const npx = await failsOffline(runtime, { command: 'npx', args: ['-y', 'probe-server'] });
    expect(npx).toEqual({ cause: 'packages_need_network', text: expect.stringContaining('npm error') });
    expect(registry().requests).toEqual([]);
  });

  it('are not reported as the cause when a server without a network fails to connect by itself', async () => {
    const runtime = await ofFile().opened;
    const connect = `require('node:net').connect(443, '192.0.2.1')`;
    const own = await failsOffline(runtime, { command: 'node', args: ['-e', connect] });
    expect(own).toEqual({ cause: 'network_unreachable', text: expect.stringContaining('192.0.2.1') });
  });

  it('log their cause and the size of the package manager’s output, which only admins can read', async () => {
    // npm writes the whole address of what it does not find.
    const told = 'name-of-the-registry';
    registry().publishNpm('tells-all', '1.0.0', npmServer({ dependencies: { [told]: '1.0.0' } }));
    const lines: string[] = [];
    const logger = pino({}, { write: (line) => lines.push(line) });
    const { cause, text } = await load(openLoader({}, logger), ['-y', 'tells-all']);
    expect({ cause, text }).toEqual({ cause: 'package_not_found', text: expect.stringContaining(told) });
    const logged = lines.filter((line) => line.includes('no packages for a server'));
    expect(logged.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({
        server: 'probe',
        cause: 'package_not_found',
        writtenBytes: expect.any(Number),
      }),
    ]);
    expect(JSON.parse(logged[0] ?? '{}').writtenBytes).toBeGreaterThan(told.length);
    expect(lines.join()).not.toContain(told);
  });

  it.each([
    ['never answers', () => undefined],
    ['stops in the middle of a file', (response: ServerResponse) => response.writeHead(200).write('half')],
  ])('of a registry that %s fail within the timeout of a load', async (_, hang) => {
    const name = `hung-${randomUUID()}`;
    registry().publishNpm(name, '1.0.0', npmServer());
    let asked = 0;
    registry().interfere((request, response) => {
      if (isTarball(request.url)) {
        asked += 1;
        hang(response);
      }
      return isTarball(request.url);
    });
    const within = async (deadlineMs: number) => {
      const startedAtMs = Date.now();
      const failed = await load(openLoader({ deadlineMs }), ['-y', name]);
      return { ...failed, tookMs: Date.now() - startedAtMs };
    };
    // On a busy machine the package manager needs longer to get as far as the file.
    let deadlineMs = 3000;
    let failed = await within(deadlineMs);
    while (asked === 0 && deadlineMs < 60_000) {
      deadlineMs *= 2;
      failed = await within(deadlineMs);
    }
    expect(asked).toBeGreaterThan(0);
    // What the package is was there before.
    expect(failed).toMatchObject({
      cause: 'packages_not_loaded',
      text: expect.stringMatching(/PACKAGE_LOAD_SECONDS\): \d+ bytes came/),
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
    registry().publishNpm('moved-away', '1.0.0', npmServer());
    registry().interfere((request, response) => {
      if (isTarball(request.url)) {
        response.writeHead(302, { location: `http://127.0.0.1:${port}/x.tgz` }).end();
      }
      return isTarball(request.url);
    });
    const { cause, text } = await load(openLoader(), ['-y', 'moved-away']);
    expect(cause).toBe('packages_not_loaded');
    expect(text).toContain(`127.0.0.1:${port}`);
    expect(text).toContain('PACKAGE_FILE_HOSTS');
    expect(heard).toEqual([]);
    elsewhere.close();
  });

  it('too large, too many or without a program are refused, and nothing of them is left', async () => {
    const big = { 'server.js': server, 'big.bin': 'x'.repeat(2 * 1024 * 1024) };
    registry().publishNpm('big-server', '1.0.0', { files: big, more: { bin: 'server.js' } });
    registry().publishNpm('no-program', '1.0.0', { files: { 'index.js': '' } });
    const small = openLoader({ maxBytes: 1024 * 1024 });
    expect((await load(small, ['-y', 'big-server'])).text).toMatch(/PACKAGE_MAX_BYTES|ENOSPC/);
    const few = openLoader({ maxFiles: 2 });
    expect((await load(few, ['-y', 'big-server'])).text).toContain('or 2 files');
    expect((await load(few, ['-y', 'no-program'])).text).toContain('no program');
    const full = openLoader({ workspaceBytes: 1024 });
    expect((await load(full, ['-y', 'big-server'])).text).toContain('PACKAGE_CACHE_BYTES');
    expect(cached().filter((path) => path.includes('big.bin') || path.includes('unfinished'))).toEqual([]);
  });

  it('a worker that is killed while it loads does not block the next one', async () => {
    registry().publishNpm('slow-server', '1.0.0', npmServer());
    let isHeld = false;
    registry().interfere((request) => {
      isHeld ||= isTarball(request.url);
      return isHeld;
    });
    const { driver: ofWorker, opened: opening } = ofFile();
    const runtime = await opening;
    const frozen = frozenWith('npx', ['-y', 'slow-server']);
    const spec = runtime.render(frozen);
    const worker = ofWorker.startInProcess(reportsUrl(), spec, secretsWith(frozen.session_id), 600_000);
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
    expect((await load(openLoader(), ['-y', 'slow-server'])).cause).toBeNull();
    expect(
      readdirSync(join(cacheDirectory, workspaceId)).filter((name) => name.startsWith('unfinished')),
    ).toEqual([]);
  });

  it('are given up when the session is stopped meanwhile', async () => {
    registry().publishNpm('held-server', '1.0.0', npmServer());
    let isHeld = false;
    registry().interfere((request) => {
      isHeld ||= isTarball(request.url);
      return isHeld;
    });
    const runtime = await ofFile().opened;
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
    const sessionId = randomUUID();
    // For as long as it has a directory, it runs.
    mkdirSync(join(sessionsOfLoaders, sessionId), { recursive: true });
    const loader = await openLoader({ workspaceBytes: 1.5 * 1024 * 1024 });
    await load(loader, ['-y', 'room-one'], { of, sessionId });
    await load(loader, ['-y', 'room-two'], { of });
    await load(loader, ['-y', 'room-three'], { of });
    registry().requests.length = 0;
    expect((await load(loader, ['-y', 'room-one'], { of })).cause).toBeNull();
    expect(registry().requests).toEqual([]);
    expect((await load(loader, ['-y', 'room-two'], { of })).cause).toBeNull();
    expect(registry().requests).toContain('/npm/room-two');
  });

  it('that one workspace waits for leave room for another, and who gives up waits no longer', async () => {
    const greedy = Array.from({ length: 5 }, (_each, at) => `greedy-${at}`);
    for (const name of [...greedy, 'modest']) {
      registry().publishNpm(name, '1.0.0', npmServer());
    }
    registry().interfere((request) => request.url?.includes('greedy') ?? false);
    const stopping = new AbortController();
    const loader = await openLoader();
    const waiting = greedy.map((name) =>
      load(loader, ['-y', name], { signal: stopping.signal }).catch(String),
    );
    expect((await load(loader, ['-y', 'modest'], { of: randomUUID() })).cause).toBeNull();
    stopping.abort(new Error('stopped'));
    expect(await Promise.all(waiting)).toEqual(greedy.map(() => 'Error: stopped'));
  });
});
