import { describe, expect, it } from '@jest/globals';
import { KeyReader } from '../../../../sidecar/json-rpc/json-keys.ts';

/** Reads these keys, as they are written between quotes, one after the other from one text. */
const read = (...written: string[]): (string | null)[] => readAndCount(written).keys;

/** The same, and how many of them were decoded. */
function readAndCount(written: readonly string[]): { keys: (string | null)[]; decoded: number } {
  const quoted = written.map((key) => Buffer.from(`"${key}"`));
  const bytes = Buffer.concat(quoted);
  let decoded = 0;
  bytes.toString = (...range) => {
    decoded += 1;
    return Buffer.prototype.toString.apply(bytes, range);
  };
  const reader = new KeyReader(bytes);
  let at = 0;
  const keys = quoted.map(({ length }) => {
    at += length;
    return reader.read(at - length, at - 1);
  });
  return { keys, decoded };
}

describe('the keys of one text', () => {
  it('are read alike each time', () => {
    expect(read('name', 'é😀', '', 'name', 'é😀', '')).toEqual(['name', 'é😀', '', 'name', 'é😀', '']);
  });

  it('are told apart, also those that are remembered in the same place', () => {
    expect(read('Aa', 'BB', 'Aa', 'BB', 'AaX', 'A')).toEqual(['Aa', 'BB', 'Aa', 'BB', 'AaX', 'A']);
    const many = Array.from({ length: 1500 }, (_, at) => `${'k'.repeat(at % 70)}${at}`);
    expect(read(...many, ...many)).toEqual([...many, ...many]);
  });

  it.each([
    ['once, however often they come', ['name', 'é', 'name', 'name', 'é', ''], 3],
    ['once, up to 64 bytes', ['k'.repeat(64), 'k'.repeat(64)], 1],
    ['each time, when they are longer', ['k'.repeat(65), 'k'.repeat(65)], 2],
    ['again, when another took their place', ['Aa', 'BB', 'Aa'], 3],
    ['once, when they differ in one letter or their order', ['ab', 'ba', 'ac', 'ab', 'ba', 'ac'], 3],
    ['each time, when readers would not agree', ['\\ud800', '\\ud800'], 2],
  ])('are decoded %s', (_, written, decoded) => {
    expect(readAndCount(written).decoded).toBe(decoded);
  });

  it('are mostly decoded once, when there are many', () => {
    const many = Array.from({ length: 60 }, (_, at) => `member ${at}`);
    expect(readAndCount([...many, ...many, ...many]).decoded).toBeLessThan(120);
  });

  it('are decoded, and are null where readers would not agree on them, each time', () => {
    const written = ['\\u0061', 'a\\u0000', '\\ud800', 'x\\\\y'];
    const keys = ['a', null, null, 'x\\y'];
    expect(read(...written, 'a', ...written)).toEqual([...keys, 'a', ...keys]);
  });
});
