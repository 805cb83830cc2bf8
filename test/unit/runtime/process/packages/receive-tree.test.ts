import {
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { verifyTree, writeManifest } from '../../../../../runtime/process/packages/manifest.ts';
import { receiveTree } from '../../../../../runtime/process/packages/receive-tree.ts';
import { encodeRecord } from '../../../../../runtime/process/packages/tree-stream.ts';

let place: string;
let tree: string;
beforeEach(async () => {
  place = mkdtempSync(join(tmpdir(), 'tree-'));
  tree = join(place, 'tree');
  await mkdir(tree);
});
afterEach(() => rmSync(place, { recursive: true, force: true }));

const limits = { sizeBytes: 1000, files: 10 };
const file = (path: string, content: string, isExecutable = false) =>
  Buffer.concat([
    encodeRecord({ type: 'file', path, sizeBytes: Buffer.byteLength(content), isExecutable }),
    Buffer.from(content),
  ]);
const link = (path: string, target: string) => encodeRecord({ type: 'link', path, target });
const program = (path: string) => encodeRecord({ type: 'program', path });
/** Splits into chunks of `size` bytes, as a socket might. */
const receive = (records: Buffer[], size = 7, given = limits) => {
  const all = Buffer.concat(records);
  const pieces = Array.from({ length: Math.ceil(all.length / size) }, (_each, at) =>
    all.subarray(at * size, (at + 1) * size),
  );
  return receiveTree(Readable.from(pieces, { objectMode: true }), tree, given);
};

const honest = [
  file('a/run', '#!/bin/sh\n', true),
  file('a/empty', ''),
  link('bin/run', '../a/run'),
  link('python', '/usr/bin/python3'),
  program('bin/run'),
];

describe('packages that a sandbox sends', () => {
  it.each([1, 3, 4096])('are written as sent, in chunks of %s bytes', async (size) => {
    const manifest = await receive(honest, size);
    expect(manifest).toMatchObject({ program: 'bin/run', sizeBytes: 10 });
    expect(manifest.entries.map(({ path }) => path)).toEqual(['a/empty', 'a/run', 'bin/run', 'python']);
    expect(readFileSync(join(tree, 'a/run'), 'utf8')).toBe('#!/bin/sh\n');
    expect(statSync(join(tree, 'a/run')).mode & 0o7777).toBe(0o555);
    expect(statSync(join(tree, 'a/empty')).mode & 0o7777).toBe(0o444);
    expect(readlinkSync(join(tree, 'bin/run'))).toBe('../a/run');
    const digest = await writeManifest(place, manifest);
    expect(await verifyTree(place, digest)).toEqual(manifest);
    expect(
      await verifyTree(
        place,
        digest.replace(/^./, (first) => (first === '0' ? '1' : '0')),
      ),
    ).toBeNull();
  });

  it.each([
    ['a path that leads out', file('../x', 'y')],
    ['a path that leads out later', file('a/../../x', 'y')],
    ['an absolute path', file('/tmp/x', 'y')],
    ['a path without a name', file('a//x', 'y')],
    ['the directory itself', file('.', 'y')],
    ['no path', file('', 'y')],
    ['a zero byte', file('a\0b', 'y')],
    ['a name that is too long', file('x'.repeat(256), 'y')],
    ['a path that is too long', file(Array.from({ length: 600 }, () => 'x').join('/'), 'y')],
    ['a link to a file of the machine', link('x', '/etc/passwd')],
    ['a link that leads out', link('a/x', '../../../../etc/passwd')],
    ['a link that seems to be of the system', link('x', '/usr/../etc/passwd')],
    ['a link to all packages', link('x', '.')],
    ['too many bytes', file('x', 'y'.repeat(1001))],
    ['two files of one name', Buffer.concat([file('x', 'y'), file('x', 'z')])],
    ['a file below a file', Buffer.concat([file('x', 'y'), file('x/y', 'z')])],
    ['a link over a file', Buffer.concat([file('x', 'y'), link('x', 'z')])],
    ['a file below a link', Buffer.concat([link('x', '/usr/lib'), file('x/y', 'z')])],
    ['a link below a link', Buffer.concat([file('d/e', ''), link('x', 'd'), link('x/y', 'e')])],
    [
      'a link below a link that leads out of them once it is made',
      Buffer.concat([link('lib', '/usr/lib'), link('x', 'lib/../../opt/packages/d'), link('x/y', 'z')]),
    ],
    ['too many files', Buffer.concat(Array.from({ length: 11 }, (_each, at) => file(`f${at}`, '')))],
    ['a record that is too long', Buffer.from([0, 1, 0, 0])],
    ['something else', Buffer.from('GET / HTTP/1.1\r\n')],
    [
      'fewer bytes than it says',
      encodeRecord({ type: 'file', path: 'x', sizeBytes: 2 ** 40, isExecutable: false }),
    ],
  ])('are refused with %s', async (_what, records) => {
    await expect(receive([records, program('x')])).rejects.toThrow();
    expect(() => readFileSync(join(place, 'x'))).toThrow();
  });

  it('are refused without their program, or an end record', async () => {
    await expect(receive([file('a', 'b'), program('other')])).rejects.toThrow(/no such program/);
    await expect(receive([file('c', 'd')])).rejects.toThrow(/not handed over/);
  });

  it('are not verified when one of many files differs, whichever it is', async () => {
    const names = Array.from({ length: 60 }, (_each, at) => `f${at}`);
    const records = names.map((name) => file(name, `content of ${name}`));
    const manifest = await receive([...records, program('f0')], 4096, { sizeBytes: 10_000, files: 100 });
    const digest = await writeManifest(place, manifest);
    expect(await verifyTree(place, digest)).not.toBeNull();
    for (const name of names) {
      const path = join(tree, name);
      const text = readFileSync(path, 'utf8');
      unlinkSync(path);
      writeFileSync(path, text.toUpperCase(), { mode: 0o444 });
      expect(await verifyTree(place, digest)).toBeNull();
      unlinkSync(path);
      writeFileSync(path, text, { mode: 0o444 });
    }
    expect(await verifyTree(place, digest)).not.toBeNull();
  });

  it('are verified only unchanged: no file changed, added, missing, or of another type', async () => {
    const manifest = await receive(honest);
    const digest = await writeManifest(place, manifest);
    const changes: [change: () => void, back: () => void][] = [
      [() => writeFileSync(join(tree, 'b'), ''), () => unlinkSync(join(tree, 'b'))],
      [() => unlinkSync(join(tree, 'python')), () => symlinkSync('/usr/bin/python3', join(tree, 'python'))],
    ];
    for (const [change, back] of changes) {
      change();
      expect(await verifyTree(place, digest)).toBeNull();
      back();
      expect(await verifyTree(place, digest)).not.toBeNull();
    }
    unlinkSync(join(tree, 'a/empty'));
    symlinkSync('run', join(tree, 'a/empty'));
    expect(await verifyTree(place, digest)).toBeNull();
    unlinkSync(join(tree, 'a/empty'));
    writeFileSync(join(tree, 'a/empty'), '', { mode: 0o755 });
    expect(await verifyTree(place, digest)).toBeNull();
  });
});
