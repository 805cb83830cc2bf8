/**
 * Packages, and registries, that try to have code run while they are loaded, to lead
 * elsewhere, or to cost too much.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createGzip } from 'node:zlib';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { tarEntry } from '../../../support/images.ts';
import { describeWith } from '../../../support/sandbox-programs.ts';
import { describeWithUv } from '../../../support/uv.ts';
import { cached, load, openLoader, registry, usePackageRegistry, versionOf } from './package-sessions.ts';
import { markingPth, python, server } from './package-sources.ts';

usePackageRegistry();

const heard: (string | undefined)[] = [];
let elsewhere: Server;
let port: number;
beforeAll(async () => {
  elsewhere = createServer((request, response) => {
    heard.push(request.url);
    response.end();
  });
  await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
  port = (elsewhere.address() as AddressInfo).port;
});
afterEach(() => {
  heard.length = 0;
});
afterAll(() => {
  elsewhere.close();
});

let opened: ReturnType<typeof openLoader> | null = null;
/** One for the file. */
const withDefaults = () => {
  opened ??= openLoader();
  return opened;
};

const npmServer = (more: object = {}) => ({
  files: { 'server.js': server },
  more: { bin: 'server.js', ...more },
});
/** What loaders write of each load that ended well. */
const logOfLoads = () => {
  const lines: string[] = [];
  const logger = pino({}, { write: (line) => lines.push(line) });
  return { logger, loads: () => lines.filter((line) => line.includes('packages were loaded')) };
};
const isTarball = (url: string | undefined) => url?.endsWith('.tgz') ?? false;
const leftOver = () => cached().filter((path) => path.includes('unfinished') || path.includes('seen.json'));

describeWith('bwrap')('a package of npm', () => {
  it.each([
    ['http', [], () => registry().npmUrl.slice(7, -5)],
    ['http', ['files.example'], () => `127.0.0.1:${port}`],
    ['https', ['files.example'], () => `127.0.0.1:${port}`],
  ])(
    'whose tarball is at another host, over %s, is refused beside the file hosts %s',
    async (scheme, fileHosts, named) => {
      const dist = { tarball: `${scheme}://127.0.0.1:${port}/x.tgz` };
      registry().publishNpm('tarball-elsewhere', '1.0.0', { ...npmServer(), dist });
      const { cause, text } = await load(openLoader({ fileHosts }), ['-y', 'tarball-elsewhere']);
      expect(cause).toBe('packages_not_loaded');
      expect(text).toContain(named());
      expect(text).toContain('PACKAGE_FILE_HOSTS');
      expect(heard).toEqual([]);
    },
  );

  it.each([
    ['a repository', () => `git+https://127.0.0.1:${port}/x.git`],
    ['a repository of the registry’s own host', () => `git+http://127.0.0.1:${registry().port}/x.git`],
    ['a repository of a known forge', () => 'some-owner/some-repository'],
    ['an address', () => `http://127.0.0.1:${port}/x.tgz`],
    [
      'an address of the registry’s own host',
      () => `http://127.0.0.1:${registry().port}/npm/leftover/-/1.2.0.tgz`,
    ],
    ['a path', () => 'file:/etc'],
  ])('that depends on %s is refused', async (_what, dependency) => {
    registry().publishNpm('odd-dependency', '1.0.0', npmServer({ dependencies: { odd: dependency() } }));
    const { cause, text } = await load(withDefaults(), ['-y', 'odd-dependency']);
    expect(cause).toBe('packages_not_loaded');
    expect(text).toMatch(
      /depends on a repository, an address or a path|at an address outside the package registry/,
    );
    expect(heard).toEqual([]);
    expect(registry().requests.filter((path) => path.includes('.git') || path.includes('leftover'))).toEqual(
      [],
    );
  });

  it('with settings of its own for npm changes nothing', async () => {
    const settings = `registry=http://127.0.0.1:${port}/\nignore-scripts=false\n`;
    const files = { 'server.js': server, '.npmrc': settings };
    const scripts = { postinstall: 'touch seen.json' };
    registry().publishNpm('own-settings', '1.0.0', { files, more: { bin: 'server.js', scripts } });
    registry().publishNpm(
      'has-own-settings',
      '1.0.0',
      npmServer({ dependencies: { 'own-settings': '1.0.0', leftover: '*' } }),
    );
    const loaded = await load(withDefaults(), ['-y', 'has-own-settings']);
    expect(versionOf(loaded, 'own-settings')).toBe('1.0.0');
    expect(heard).toEqual([]);
    expect(leftOver()).toEqual([]);
  });

  it('whose bytes are not those that the registry describes is refused', async () => {
    const integrity = `sha512-${Buffer.alloc(64).toString('base64')}`;
    registry().publishNpm('swapped', '1.0.0', { ...npmServer(), dist: { integrity } });
    const { cause, text } = await load(withDefaults(), ['-y', 'swapped']);
    expect(cause).toBe('packages_not_loaded');
    expect(text).toContain('its digest differs');
    expect(leftOver()).toEqual([]);
  });

  it('of gigabytes in a small file ends at the limit', async () => {
    registry().publishNpm('bomb', '1.0.0', { ...npmServer(), dist: { integrity: undefined } });
    registry().interfere((request, response) => {
      if (isTarball(request.url)) {
        const gzip = createGzip({ level: 1 });
        const zeros = Buffer.alloc(1024 * 1024);
        // As much as is taken: whoever unpacks all of it is never done.
        const more = () => {
          while (!response.destroyed && gzip.write(zeros)) {}
        };
        gzip.write(tarEntry({ path: 'package/big', size: 5 * 1024 ** 3 }).subarray(0, 512));
        gzip.on('drain', more);
        more();
        gzip.pipe(response);
      }
      return isTarball(request.url);
    });
    const { cause, text } = await load(openLoader({ maxBytes: 16 * 1024 * 1024 }), ['-y', 'bomb']);
    expect(cause).toBe('packages_not_loaded');
    expect(text).toContain('PACKAGE_MAX_BYTES');
    expect(leftOver()).toEqual([]);
  });

  it('that is sent without an end is given up at the limit', async () => {
    registry().publishNpm('endless', '1.0.0', { ...npmServer(), dist: { integrity: undefined } });
    registry().interfere((request, response) => {
      if (isTarball(request.url)) {
        const noise = Buffer.alloc(64 * 1024, 'x');
        const more = () => {
          while (!response.destroyed && response.write(noise)) {}
        };
        response.on('drain', more);
        more();
      }
      return isTarball(request.url);
    });
    const { cause, text } = await load(openLoader({ maxBytes: 1024 * 1024 }), ['-y', 'endless']);
    expect(cause).toBe('packages_not_loaded');
    expect(text).toContain('PACKAGE_MAX_BYTES');
  });

  it('that two sessions need at once is loaded once', async () => {
    registry().publishNpm('wanted-twice', '1.0.0', npmServer());
    const { logger, loads } = logOfLoads();
    const workers = [openLoader({}, logger), openLoader({}, logger)];
    const loaded = await Promise.all(workers.map((loader) => load(loader, ['-y', 'wanted-twice'])));
    expect(loaded.map((each) => versionOf(each, 'wanted-twice'))).toEqual(['1.0.0', '1.0.0']);
    expect(loads()).toHaveLength(1);
  });

  it.each([
    ['resets the connection', () => undefined],
    ['breaks off in the middle of a file', () => 'half of a file'],
  ])('whose registry %s once is loaded by another attempt', async (_what, sent) => {
    registry().publishNpm('unlucky', '1.0.0', npmServer());
    let broken = 0;
    registry().interfere((request, response) => {
      const isBroken = isTarball(request.url) && broken === 0;
      if (isBroken) {
        broken += 1;
        const text = sent();
        if (text !== undefined) {
          response.writeHead(200, { 'content-length': '1000' });
          response.write(text);
        }
        setImmediate(() => request.socket.destroy());
      }
      return isBroken;
    });
    const of = crypto.randomUUID();
    expect(versionOf(await load(withDefaults(), ['-y', 'unlucky'], { of }), 'unlucky')).toBe('1.0.0');
    expect(broken).toBe(1);
  });

  it('whose registry always breaks off is not loaded by halves, and the cause is the connection', async () => {
    registry().publishNpm('halved', '1.0.0', npmServer());
    registry().interfere((request, response) => {
      if (isTarball(request.url)) {
        response.writeHead(200, { 'content-length': '1000' });
        response.write('half of a file');
        setImmediate(() => request.socket.destroy());
      }
      return isTarball(request.url);
    });
    const { cause, text } = await load(withDefaults(), ['-y', 'halved']);
    expect(cause).toBe('registry_unreachable');
    expect(text).toMatch(/ECONNRESET|aborted/);
    expect(leftOver()).toEqual([]);
  });

  it('whose session is stopped while another waits for the same is loaded for the other', async () => {
    registry().publishNpm('left-alone', '1.0.0', npmServer());
    const stopping = new AbortController();
    const given = load(withDefaults(), ['-y', 'left-alone'], { signal: stopping.signal }).catch(String);
    const other = load(withDefaults(), ['-y', 'left-alone']);
    stopping.abort(new Error('stopped'));
    expect(await given).toBe('Error: stopped');
    expect(versionOf(await other, 'left-alone')).toBe('1.0.0');
  });
});

describeWith('bwrap')('a package of Python', () => {
  describeWithUv('with uv', () => {
    it('that has to be built is refused, and nothing of it runs', async () => {
      const setup = `open('/opt/packages/seen.json', 'w').write('x')\n`;
      registry().publishSource('only_source', '1.0.0', { 'setup.py': setup });
      const { cause, text } = await load(withDefaults(), ['only-source'], { command: 'uvx' });
      expect(cause).toBe('packages_not_loaded');
      expect(text).toContain('no wheel for this machine');
      expect(leftOver()).toEqual([]);
    });

    it.each([
      ['a repository', () => `odd @ git+https://127.0.0.1:${port}/x.git`],
      ['an address', () => `odd @ http://127.0.0.1:${port}/odd-1.0.0-py3-none-any.whl`],
    ])('that depends on %s is refused', async (_what, requires) => {
      registry().publishWheel('odd_needs', '1.0.0', python('1.0.0'), [requires()]);
      const { cause, text } = await load(withDefaults(), ['odd-needs'], { command: 'uvx' });
      expect(cause).toBe('packages_not_loaded');
      expect(text).toMatch(/depends on a repository, an address or a path/);
      expect(heard).toEqual([]);
    });

    it('with settings of its own, and code for the start of Python, has none of it run', async () => {
      const files = {
        ...sources('own_start'),
        'uv.toml': `index-url = "http://127.0.0.1:${port}/simple/"\n`,
        'own_start/uv.toml': `index-url = "http://127.0.0.1:${port}/simple/"\n`,
        'own_start.pth': markingPth,
        'sitecustomize.py': markingPth,
      };
      registry().publishWheel('own_start', '1.0.0', files);
      expect((await load(withDefaults(), ['own-start'], { command: 'uvx' })).cause).toBeNull();
      expect(heard).toEqual([]);
      expect(leftOver()).toEqual([]);
    });

    it.each([
      ['its program', 'data/bin/python', '#!/bin/sh\ncat /proc/*/environ >/opt/packages/venv/seen.json\n'],
      [
        'its program, as a script of its own',
        'scripts/python',
        '#!/bin/sh\nenv >/opt/packages/venv/seen.json\n',
      ],
      ['where it has its library', 'data/pyvenv.cfg', 'home = /opt/packages/venv/own/bin\nversion = 3.11\n'],
    ])(
      'that replaces %s in the Python of its environment has none of it run',
      async (what, path, content) => {
        const name = `own_python_${what.length}`;
        const data = `${name}-1.0.0.data`;
        // What Python imports first.
        const library = Object.fromEntries(
          ['os', 'encodings/__init__', 'codecs', 'site'].flatMap((module) =>
            ['3.9', '3.10', '3.11', '3.12', '3.13', '3.14'].map((version) => [
              `${data}/data/own/lib/python${version}/${module}.py`,
              'import posix\nposix.close(posix.open("/opt/packages/venv/seen.json", posix.O_CREAT | posix.O_WRONLY))\n',
            ]),
          ),
        );
        const files = { ...sources(name), ...library, [`${data}/${path}`]: content };
        registry().publishWheel(name, '1.0.0', files);
        const loaded = await load(withDefaults(), [name.replaceAll('_', '-')], { command: 'uvx' });
        // uv may refuse such a wheel.
        expect([null, 'packages_not_loaded']).toContain(loaded.cause);
        expect(leftOver()).toEqual([]);
      },
    );

    it.each([
      ['once is loaded by another attempt', 1, null],
      ['each time is not loaded by halves', Number.POSITIVE_INFINITY, 'registry_unreachable'],
    ])('whose registry breaks off in the middle of a file %s', async (_what, times, cause) => {
      const name = `broken_${times}`.toLowerCase();
      registry().publishWheel(name, '1.0.0', sources(name));
      let broken = 0;
      registry().interfere((request, response) => {
        const isBroken = (request.url?.endsWith('.whl') ?? false) && broken < times;
        if (isBroken) {
          broken += 1;
          response.writeHead(200, { 'content-length': '1000' });
          response.write('half of a file');
          setImmediate(() => request.socket.destroy());
        }
        return isBroken;
      });
      const loaded = await load(withDefaults(), [name.replaceAll('_', '-')], { command: 'uvx' });
      expect(loaded).toMatchObject({ cause });
      expect(broken).toBeGreaterThan(0);
      expect(leftOver()).toEqual([]);
    });

    it('that unpacks to more than the limit ends at it', async () => {
      const files = { ...sources('bomb_wheel'), 'bomb_wheel/zeros': '0'.repeat(48 * 1024 * 1024) };
      registry().publishWheel('bomb_wheel', '1.0.0', files);
      const small = openLoader({ maxBytes: 16 * 1024 * 1024 });
      const { cause, text } = await load(small, ['bomb-wheel'], { command: 'uvx' });
      expect(cause).toBe('packages_not_loaded');
      expect(text).toContain('PACKAGE_MAX_BYTES');
      expect(leftOver()).toEqual([]);
    });

    it('that two sessions need at once is loaded once', async () => {
      registry().publishWheel('wheel_twice', '1.0.0', sources('wheel_twice'));
      const { logger, loads } = logOfLoads();
      const both = [openLoader({}, logger), openLoader({}, logger)];
      const loaded = await Promise.all(
        both.map((loader) => load(loader, ['wheel-twice'], { command: 'uvx' })),
      );
      expect(loaded.map(({ cause }) => cause)).toEqual([null, null]);
      expect(loads()).toHaveLength(1);
    });

    it('whose bytes are not those that the index describes is refused', async () => {
      registry().publishWheel('swapped_wheel', '1.0.0', sources('swapped_wheel'));
      registry().swapWheel('swapped_wheel', '1.0.0', { 'swapped_wheel/__init__.py': 'def main(): pass\n' });
      const { cause, text } = await load(withDefaults(), ['swapped-wheel'], { command: 'uvx' });
      expect(cause).toBe('packages_not_loaded');
      expect(text).toContain('its digest differs');
    });
  });
});

/** Of a package with this name. */
const sources = (name: string) => ({ [`${name}/__init__.py`]: python('1.0.0')['time_server/__init__.py'] });
