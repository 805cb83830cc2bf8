import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { entryPath } from '../../../../lib/oci/tar/entry-path.ts';
import { readTar } from '../../../../lib/oci/tar/read-tar.ts';
import { paxHeader, type TarFile, tar, tarEntry } from '../../../support/images.ts';
import { checkAsyncProperty, checkProperty } from '../../../support/property.ts';

async function* inChunks(bytes: Buffer, size = 700): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) {
    yield bytes.subarray(at, at + size);
  }
}

/** Every entry as `[path, type, content]`. */
async function entriesOf(bytes: Buffer, chunkSize?: number): Promise<[string, string, string][]> {
  const entries: [string, string, string][] = [];
  for await (const entry of readTar(inChunks(bytes, chunkSize))) {
    entries.push([entry.path, entry.type, String(await entry.read())]);
  }
  return entries;
}

const scratch = mkdtempSync(join(tmpdir(), 'tar-'));
afterAll(() => rmSync(scratch, { recursive: true }));

describe('reading a tar archive', () => {
  it.each(['v7', 'ustar', 'gnu', 'pax'])('reads what GNU tar writes as %s', async (format) => {
    const root = join(scratch, format);
    // The first format has room for short names only.
    const long = format === 'v7' ? 'short' : `${'long-'.repeat(format === 'ustar' ? 18 : 40)}name`;
    mkdirSync(join(root, 'directory'), { recursive: true });
    writeFileSync(join(root, 'directory', long), 'x'.repeat(2000));
    writeFileSync(join(root, 'empty'), '');
    symlinkSync('empty', join(root, 'link'));
    const archive = execFileSync('tar', [`--format=${format}`, '--sort=name', '-cC', root, '.']);
    for (const chunkSize of [1, 511, 65536]) {
      expect(await entriesOf(archive, chunkSize)).toEqual([
        ['./', 'directory', ''],
        ['./directory/', 'directory', ''],
        [`./directory/${long}`, 'file', 'x'.repeat(2000)],
        ['./empty', 'file', ''],
        ['./link', 'symbolic link', ''],
      ]);
    }
  });

  it('reads path and size from a pax header, and ignores its other records', async () => {
    const archive = tar([
      { path: 'PaxGlobal', type: 'g', content: '15 path=global\n' },
      paxHeader({ path: 'ünïcode', comment: 'x' }),
      { path: 'short', content: 'a' },
      paxHeader({ size: '3' }),
      { path: 'sized', content: 'abc', size: 1 },
      { path: 'link', type: '1', linkTarget: 'short', size: 100 },
      { path: 'after', content: 'b' },
    ]);
    expect(await entriesOf(archive)).toEqual([
      ['ünïcode', 'file', 'a'],
      ['sized', 'file', 'abc'],
      ['link', 'hard link', ''],
      ['after', 'file', 'b'],
    ]);
  });

  it('stops at two blocks of zeros, as container engines do, and at the end of the bytes', async () => {
    const first = tarEntry({ path: 'a', content: '1' });
    const hidden = tarEntry({ path: 'b', content: '2' });
    expect(await entriesOf(Buffer.concat([first, Buffer.alloc(1024), hidden]))).toEqual([['a', 'file', '1']]);
    expect(await entriesOf(first)).toEqual([['a', 'file', '1']]);
    expect(await entriesOf(Buffer.alloc(0))).toEqual([]);
  });

  const damaged = (change: (block: Buffer) => void) => {
    const block = tarEntry({ path: 'a' });
    change(block);
    return block;
  };
  it.each<[string, Buffer]>([
    ['a wrong checksum', damaged((block) => block.write('b', 0))],
    ['a header cut off', tarEntry({ path: 'a' }).subarray(0, 300)],
    ['content cut off', tarEntry({ path: 'a', content: 'x'.repeat(600) }).subarray(0, 700)],
    ['one block of zeros', Buffer.concat([Buffer.alloc(512), tarEntry({ path: 'a' })])],
    ['an unknown type', tarEntry({ path: 'a', type: 'S' })],
    ['a malformed pax header', tar([{ path: 'p', type: 'x', content: '99 path=x\n' }])],
    ['a pax size that is none', tar([paxHeader({ size: '-1' }), { path: 'a' }])],
    ['a NUL in a pax path', tar([paxHeader({ path: 'a\0b' }), { path: 'a' }])],
  ])('refuses %s', async (_what, bytes) => {
    await expect(entriesOf(bytes)).rejects.toMatchObject({ code: 'unreadable_layer' });
  });

  it.each(['x', 'g', 'L', 'K'])(
    'refuses an extension header of type %s before it is in memory',
    async (type) => {
      let taken = 0;
      const endless = async function* () {
        yield tarEntry({ path: 'a', type, size: 2 ** 30 });
        for (;;) {
          taken += 1;
          yield Buffer.alloc(64 * 1024);
        }
      };
      await expect(readTar(endless()).next()).rejects.toMatchObject({ code: 'unreadable_layer' });
      expect(taken).toBe(0);
    },
  );

  it('terminates or refuses, whatever the bytes are', async () => {
    const whole = tar([paxHeader({ path: 'x' }), { path: 'a', content: 'abc' }, { path: 'b/', type: '5' }]);
    const changes = fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { maxLength: 4 });
    await checkAsyncProperty(
      fc.asyncProperty(changes, fc.nat(whole.length), async (changed, length) => {
        const bytes = Buffer.from(whole);
        for (const [at, byte] of changed) {
          bytes[at] = byte;
        }
        const result = await entriesOf(bytes.subarray(0, length)).catch(({ code }) => code);
        expect(Array.isArray(result) || result === 'unreadable_layer').toBe(true);
      }),
      { runs: 500 },
    );
  });
});

describe('the path of an entry', () => {
  it.each([
    ['mcp-manifest.json', 'mcp-manifest.json'],
    ['./mcp-manifest.json', 'mcp-manifest.json'],
    ['/mcp-manifest.json', 'mcp-manifest.json'],
    ['.//./mcp-manifest.json', 'mcp-manifest.json'],
    ['./', ''],
    ['a/./b//', 'a/b'],
    ['..a/b..', '..a/b..'],
  ])('%s is %s', (path, normal) => {
    expect(entryPath(path)).toBe(normal);
  });

  it('is never above the root, and is stable when normalised again', () => {
    const parts = fc.array(fc.constantFrom('', '.', '..', 'a', '.wh.a', '..b'), { maxLength: 8 });
    checkProperty(
      fc.property(parts, (names) => {
        if (names.includes('..')) {
          expect(() => entryPath(names.join('/'))).toThrow(/has the path/);
        } else {
          const path = entryPath(names.join('/'));
          expect(path.split('/')).not.toContain('..');
          expect(path.startsWith('/')).toBe(false);
          expect(entryPath(path)).toBe(path);
        }
      }),
    );
  });
});

it('a test image with every kind of entry is a valid archive', () => {
  const files: TarFile[] = [
    { path: 'a', content: 'x' },
    { path: 'b/', type: '5' },
  ];
  const list = execFileSync('tar', ['-t'], { input: tar(files) });
  expect(String(list)).toBe('a\nb/\n');
});
