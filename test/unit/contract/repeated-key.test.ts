import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { repeatedKey } from '../../../contract/repeated-key.ts';
import { checkProperty } from '../../support/property.ts';

describe('a key that a JSON text has twice', () => {
  it.each([
    ['{"a":1,"a":2}', ['a']],
    ['{"a":{"b":1,"b":2}}', ['a', 'b']],
    ['[{"a":1},{"a":1,"b":2,"a":3}]', [1, 'a']],
    ['{"a":[0,[{"x":"}","x":1}]]}', ['a', 1, 0, 'x']],
    ['{"a":1,"\\u0061":2}', ['a']],
    ['{"":1,"":2}', ['']],
    ['{"__proto__":1,"__proto__":2}', ['__proto__']],
    [' { "a" : "a" , "b" : "a" , "b" : 1 } ', ['b']],
  ])('%s', (text, path) => {
    expect(repeatedKey(text)).toEqual(path);
  });

  it.each([
    '{}',
    '[]',
    '"a"',
    '1',
    '{"a":{"a":{"a":1}},"b":["a","a"],"c":"a"}',
    '[{"a":1},{"a":1}]',
    '{"a\\"":1,"a":2}',
  ])('is none in %s', (text) => {
    expect(repeatedKey(text)).toBeNull();
  });

  it('is none in what JSON.stringify writes', () => {
    checkProperty(
      fc.property(fc.jsonValue(), (value) => {
        expect(repeatedKey(JSON.stringify(value))).toBeNull();
      }),
    );
  });

  it('is found wherever it is put', () => {
    checkProperty(
      fc.property(fc.jsonValue(), fc.string(), (value, key) => {
        const inner = JSON.stringify(value);
        const name = JSON.stringify(key);
        expect(repeatedKey(`[${inner},{${name}:${inner},"${key === 'x' ? 'y' : 'x'}":0,${name}:1}]`)).toEqual(
          [1, key],
        );
      }),
    );
  });
});
