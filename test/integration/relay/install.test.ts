import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { describeWithStaticRelay } from '../../support/static-relay.ts';
import { RelayBench, staticRelay } from './relay-process.ts';

const bench = new RelayBench();
const [program = ''] = staticRelay;
let root = '';
let count = 0;

beforeAll(() => bench.open());
beforeEach(() => {
  count += 1;
  root = bench.path(`root-${count}`);
  mkdirSync(root);
});
afterEach(() => bench.clear());
afterAll(() => bench.close());

const install = (...directories: string[]) => bench.run([program, 'install', root, ...directories]);
const modeOf = (path: string) => (statSync(join(root, path)).mode & 0o7777).toString(8);

describeWithStaticRelay('relay install', () => {
  it.each(['000', '077', '777'])('sets exact modes under the umask %s', async (umask) => {
    const script = `umask ${umask}; exec "${program}" install "${root}" mcp/files/nested agent`;
    expect(await bench.run(['sh', '-c', script])).toMatchObject({ code: 0, stdout: '', stderr: '' });
    for (const path of ['mcp', 'mcp/files', 'mcp/files/nested', 'agent', 'bin']) {
      expect([path, modeOf(path)]).toEqual([path, '2770']);
    }
    expect(modeOf('bin/relay')).toBe('555');
    expect(readFileSync(join(root, 'bin/relay'))).toEqual(readFileSync(program));
    expect(readdirSync(join(root, 'bin'))).toEqual(['relay']);
  });

  it('can be run again, corrects modes, and installs a working program', async () => {
    await install('agent');
    chmodSync(join(root, 'agent'), 0o700);
    expect((await install('agent')).code).toBe(0);
    expect(modeOf('agent')).toBe('2770');
    const installed = join(root, 'bin/relay');
    expect((await bench.run([installed, 'install', root, 'more'])).code).toBe(0);
    expect((await bench.run([installed, 'run', '--', 'echo', 'runs'])).stdout).toBe('runs\n');
  });

  it('can be run many times concurrently, while others run what it installs', async () => {
    await install('agent');
    const installed = join(root, 'bin/relay');
    const installs = Array.from({ length: 12 }, () => install('agent', 'mcp/a/b'));
    const runs = Array.from({ length: 24 }, () => bench.run([installed, 'run', '--', 'true']));
    const endings = await Promise.all([...installs, ...runs]);
    expect(endings.map(({ code, stderr }) => `${code} ${stderr}`)).toEqual(endings.map(() => '0 '));
    expect(readdirSync(join(root, 'bin'))).toEqual(['relay']);
  });

  it.each(['..', 'a/../../b', '/etc/x', '.', 'a/.', ''])(
    'refuses %j before it creates anything',
    async (path) => {
      expect(await install('agent', path)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('below'),
      });
      expect(readdirSync(root)).toEqual([]);
    },
  );

  it('follows no link out of the root', async () => {
    const outside = bench.path('outside');
    mkdirSync(outside, { recursive: true });
    symlinkSync(outside, join(root, 'mcp'));
    expect(await install('mcp/files')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('mcp/files'),
    });
    expect(readdirSync(outside)).toEqual([]);
  });

  it('reports what blocks it, and leaves nothing incomplete', async () => {
    expect(await bench.run([program, 'install', join(root, 'missing')])).toMatchObject({ code: 1 });
    mkdirSync(join(root, 'bin/relay'), { recursive: true });
    expect(await install()).toMatchObject({ code: 1, stderr: expect.stringContaining('cannot install') });
    expect(readdirSync(join(root, 'bin'))).toEqual(['relay']);
  });
});
