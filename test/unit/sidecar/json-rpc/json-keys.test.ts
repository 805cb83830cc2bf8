import { describe, expect, it } from '@jest/globals';
import { KeyReader } from '../../../../sidecar/json-rpc/json-keys.ts';

/** Reads these keys, as they are written between quotes, one after the other from one text. */
function read(...written: string[]): (string | null)[] {
  const quoted = written.map((key) => Buffer.from(`"${key}"`));
  const reader = new KeyReader(Buffer.concat(quoted));
  let at = 0;
  return quoted.map(({ length }) => {
    at += length;
    return reader.read(at - length, at - 1);
  });
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

  it('are decoded, and are null where readers would not agree on them, each time', () => {
    const written = ['\\u0061', 'a\\u0000', '\\ud800', 'x\\\\y'];
    const keys = ['a', null, null, 'x\\y'];
    expect(read(...written, 'a', ...written)).toEqual([...keys, 'a', ...keys]);
  });
});
