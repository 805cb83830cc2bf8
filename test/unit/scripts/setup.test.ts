import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { machineCache } from '../../../scripts/setup/machine-cache.mjs';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'setup-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

/** Runs a few lines against a module of the set-up, as plain Node does, with only `programs` on the PATH. */
function withModule(file: string, code: string, environment: Record<string, string> = {}): string {
  const script = `const setup = await import('./scripts/setup/${file}');
    try { ${code} } catch (error) { console.log('refused:', error.message); }`;
  return execFileSync(process.execPath, ['--input-type=module', '-e', script], {
    env: { PATH: directory, ...environment },
    encoding: 'utf8',
  });
}

describe('the set-up', () => {
  it('takes over the lock of a set-up that was killed', () => {
    const lock = join(directory, 'lock');
    writeFileSync(lock, '999999999');
    const code = `await setup.withLock('${lock}', async () => console.log('worked'));`;
    expect(withModule('lock.mjs', code)).toBe('worked\n');
  });

  it('ends no part that still runs when another fails, and names the failure', () => {
    const code = `const slow = () => new Promise((done) => setTimeout(() => { console.log('slow: done'); done(); }, 100));
      const failing = async () => { throw new setup.SetupError('no network'); };
      await setup.together([slow, failing]);`;
    expect(withModule('progress.mjs', code)).toBe('slow: done\nrefused: no network\n');
  });

  it('begins no step after another failed, says at once which, and names what failed first', () => {
    const code = `
      let tell;
      const hasFailed = new Promise((resolve) => { tell = resolve; });
      const two = async () => {
        await setup.step('slow', () => hasFailed.then(() => 'done'));
        await setup.step('next', async () => 'begun');
      };
      const failing = () =>
        setup.step('failing', async () => { throw new setup.SetupError('no network'); }).finally(tell);
      await setup.together([two, failing]);`;
    expect(withModule('progress.mjs', code)).toMatch(
      /^ {2}failing: failed .*\n {2}slow: done .*\nrefused: no network\n$/,
    );
  });

  it('runs builds of Go one after the other, also after one that failed', () => {
    const log = join(directory, 'log');
    const go = `#!/bin/sh\necho begin >> ${log}; /bin/sleep 0.1; echo end >> ${log}; exit $1\n`;
    writeFileSync(join(directory, 'go'), go, { mode: 0o755 });
    const code = `
      const results = await Promise.allSettled(['1', '0'].map((code) => setup.runGo([code], {})));
      console.log(results.map(({ status }) => status).join(' '));`;
    expect(withModule('run.mjs', code)).toBe('rejected fulfilled\n');
    expect(readFileSync(log, 'utf8')).toBe('begin\nend\nbegin\nend\n');
  });

  it('builds what all clones share once, also when two need it at the same time', () => {
    const shared = join(directory, 'cache', 'tool-1');
    const code = `
      const { existsSync, mkdirSync } = await import('node:fs');
      const isBuilt = () => existsSync('${shared}');
      const build = async () => {
        await new Promise((resolve) => setTimeout(resolve, 200));
        mkdirSync('${shared}');
        return 'built';
      };
      const both = await Promise.all([1, 2].map(() => setup.onceOnThisMachine('${shared}', isBuilt, build)));
      console.log(both.join(' and '));`;
    expect(withModule('lock.mjs', code)).toMatch(/waiting for it\.\nbuilt and \n$/);
  });
});

describe('programs that npm cannot bring', () => {
  it('are named with what their absence costs and how to install them', () => {
    const text = withModule('system-packages.mjs', 'setup.nameMissingPrograms();');
    expect(text).toMatch(/bubblewrap: without it .*sandbox/);
    expect(text).toMatch(/slirp4netns: without it .*network/);
    expect(text).toContain('apt-get install -y bubblewrap slirp4netns');
  });

  it('are not mentioned when they are installed', () => {
    for (const program of ['bwrap', 'slirp4netns', 'ip']) {
      symlinkSync(process.execPath, join(directory, program));
    }
    expect(withModule('system-packages.mjs', 'setup.nameMissingPrograms();')).toBe('');
  });

  it('may be missing for npm test if installing is disabled, but never in CI', () => {
    const code = "console.log(await setup.installSystemPackages(process.env, ['platform']));";
    const without = { PLATFORM_NO_SYSTEM_PACKAGES: '1' };
    expect(withModule('system-packages.mjs', code, without)).toMatch(/bwrap.*not installed.*left out/);
    expect(withModule('system-packages.mjs', code, { ...without, CI: 'true' })).toMatch(
      /refused:.*\n.*CI leaves no test out/,
    );
  });
});

describe('the types of the API', () => {
  it('are made again when its document changed, and only then', () => {
    mkdirSync(join(directory, 'docs'));
    const write = (title: string) => {
      const name = { type: 'string', title };
      const components = { schemas: { Named: { type: 'object', properties: { name } } } };
      const document = { openapi: '3.1.0', info: { title, version: '1' }, paths: {}, components };
      writeFileSync(join(directory, 'docs/openapi.json'), JSON.stringify(document));
    };
    const make = () =>
      withModule('../make-api-types.mjs', `console.log(await setup.makeApiTypes('${directory}'));`);
    write('One');
    expect([make(), make()]).toEqual(['made\n', 'undefined\n']);
    write('Two');
    expect([make(), make()]).toEqual(['made\n', 'undefined\n']);
    const types = readFileSync(join(directory, 'dist/api-types.d.ts'), 'utf8');
    expect(types).toMatch(/Named: \{\s*\/\*\* Two \*\/\s*name\?: string;/);
  });
});

describe('the Temporal program', () => {
  it('is taken from the PATH first, and from the cache next', () => {
    const cache = machineCache({ XDG_CACHE_HOME: join(directory, 'cache') }, 'temporal-cli-1.5.1');
    execFileSync('mkdir', ['-p', join(directory, '.cache'), cache]);
    const provide = () => {
      const code = `await setup.provideTemporal('${directory}', process.env);`;
      withModule('temporal.mjs', code, { XDG_CACHE_HOME: join(directory, 'cache') });
      return JSON.parse(readFileSync(join(directory, '.cache/tools.json'), 'utf8')).temporal;
    };
    symlinkSync(process.execPath, join(cache, 'temporal'));
    expect(provide()).toBe(join(cache, 'temporal'));
    symlinkSync(process.execPath, join(directory, 'temporal'));
    expect(provide()).toBe(join(directory, 'temporal'));
  });
});

describe('MCP servers of other languages', () => {
  it('may be missing for npm test, which says why, but never in CI', () => {
    execFileSync('mkdir', ['-p', join(directory, '.cache')]);
    symlinkSync(join(process.cwd(), 'test'), join(directory, 'test'));
    const code = `console.log(await setup.provideOracleServers('${directory}', process.env));`;
    const cache = { XDG_CACHE_HOME: join(directory, 'cache') };
    expect(withModule('oracle-servers.mjs', code, cache)).toBe(
      'python left out (python3 is not installed), go left out (go is not installed)\n',
    );
    const list = JSON.parse(readFileSync(join(directory, '.cache/oracle-servers.json'), 'utf8'));
    expect(list).toEqual({ python: null, go: null });
    expect(withModule('oracle-servers.mjs', code, { ...cache, CI: 'true' })).toMatch(
      /refused:.*\nCI leaves no test out/,
    );
  });
});

describe('servers that people sign in to', () => {
  it('may be missing for npm test, which says why, but neither in CI nor in the long mode', () => {
    execFileSync('mkdir', ['-p', join(directory, '.cache')]);
    symlinkSync(join(process.cwd(), 'test'), join(directory, 'test'));
    const code = `console.log(await setup.provideSignInServers('${directory}', process.env));`;
    const cache = { XDG_CACHE_HOME: join(directory, 'cache') };
    expect(withModule('sign-in-servers.mjs', code, cache)).toMatch(/^left out \(python3 .*\)\n$/);
    expect(JSON.parse(readFileSync(join(directory, '.cache/sign-in-servers.json'), 'utf8'))).toBeNull();
    for (const strict of [{ CI: 'true' }, { TEST_MODE: 'long' }]) {
      expect(withModule('sign-in-servers.mjs', code, { ...cache, ...strict })).toMatch(
        /^refused: .*python3 .*\nNeither CI nor the long mode leaves their tests out/,
      );
    }
  });
});

describe('Keycloak', () => {
  const provide = () =>
    withModule('keycloak.mjs', 'await setup.provideKeycloak(process.env);', {
      XDG_CACHE_HOME: join(directory, 'cache'),
    });
  const left = () => readdirSync(machineCache({ XDG_CACHE_HOME: join(directory, 'cache') }));
  const program = (name: string, script: string) =>
    writeFileSync(join(directory, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });

  it('needs programs, which it names', () => {
    expect(provide()).toMatch(/refused: mvn, java, python3 not installed/);
  });

  it('says why it was not downloaded, and is not there then', () => {
    for (const name of ['java', 'python3']) {
      program(name, 'exit 0');
    }
    program('mvn', 'echo Could not transfer artifact; exit 1');
    expect(provide()).toMatch(/refused: mvn .* failed:\nCould not transfer artifact/);
    expect(left()).toEqual([]);
    program(
      'mvn',
      'for last; do case $last in -DoutputDirectory=*) echo another > "${last#*=}/keycloak-quarkus-dist-26.3.5.zip";; esac; done',
    );
    expect(provide()).toMatch(/refused: .* has the SHA-256 [0-9a-f]{64}, where [0-9a-f]{64} is expected/);
    expect(left()).toEqual([]);
  });
});

describe('containers and Kubernetes', () => {
  const provide = {
    'container-engine.mjs': 'provideContainerEngine',
    'images.mjs': 'provideImages',
    'kubernetes.mjs': 'provideKubernetes',
  };

  it.each(Object.entries(provide))(
    'may be missing for npm test, which says why, but never in CI: %s',
    (file, name) => {
      execFileSync('mkdir', ['-p', join(directory, '.cache')]);
      writeFileSync(
        join(directory, '.cache/container-engine.json'),
        JSON.stringify({ problem: 'none was found' }),
      );
      const code = `console.log(await setup.${name}('${directory}', process.env));`;
      const environment = { XDG_CACHE_HOME: join(directory, 'cache') };
      expect(withModule(file, code, environment)).toMatch(/^left out \(.+\)\n$/);
      expect(withModule(file, code, { ...environment, CI: 'true' })).toMatch(
        /^refused: .*\nCI leaves no test out/,
      );
    },
  );

  it('omit only what a foreign cluster must not be asked for', () => {
    execFileSync('mkdir', ['-p', join(directory, '.cache')]);
    const code = `console.log(await setup.provideKubernetes('${directory}', process.env));`;
    const environment = { XDG_CACHE_HOME: join(directory, 'cache'), KUBECONFIG: '/some/file', CI: 'true' };
    expect(withModule('kubernetes.mjs', code, environment)).toMatch(/^tests that kill parts .* are left out/);
  });
});
