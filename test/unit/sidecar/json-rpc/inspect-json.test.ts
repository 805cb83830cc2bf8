import { describe, expect, it } from '@jest/globals';
import { inspectJson } from '../../../../sidecar/json-rpc/inspect-json.ts';

const nothing = { problem: null, rawId: null, rawArguments: null };
const inspect = (text: string, maxDepth = 64) => inspectJson(text, maxDepth);

describe('what JSON.parse hides', () => {
  it('is how the id was written, at the top level only', () => {
    expect(inspect('{"id":1.0}')).toEqual({ ...nothing, rawId: '1.0' });
    expect(inspect('{ "id" :\t"a,}\\"" , "x":1}')).toEqual({ ...nothing, rawId: '"a,}\\""' });
    expect(inspect('{"id":{"id":2},"x":1}')).toEqual({ ...nothing, rawId: '{"id":2}' });
    expect(inspect('{"x":[1,{"id":2}],"id":3}')).toEqual({ ...nothing, rawId: '3' });
    for (const text of ['{"x":{"id":1}}', '[{"id":1}]', '{"x":"id"}', '["id",1]', '{}', '1', '"id"']) {
      expect(inspect(text)).toEqual(nothing);
    }
  });

  it('is how the arguments in params were written, and no other member', () => {
    const written = '{"n":9007199254740993,"a":[1, {"b":"}"}]}';
    const call = `{"id":1,"params":{"name":"x","arguments": ${written} }}`;
    expect(inspect(call)).toEqual({ problem: null, rawId: '1', rawArguments: written });
    expect(inspect(`{"params":{"arguments":${written},"name":"x"}}`).rawArguments).toBe(written);
    expect(inspect('{"params":{"arguments":1e2}}').rawArguments).toBe('1e2');
    for (const text of [
      '{"arguments":{}}',
      '{"other":{"arguments":{}}}',
      '{"params":1,"other":{"arguments":{}}}',
      '{"params":{"x":{"arguments":{}}}}',
      '{"params":[{"arguments":{}}]}',
      '[{"params":{"arguments":{}}}]',
      '{"params":{"x":"arguments"}}',
    ]) {
      expect(inspect(text)).toMatchObject({ problem: null, rawArguments: null });
    }
  });

  it('is a duplicate key in one object, however it is written', () => {
    for (const text of [
      '{"a":1,"a":2}',
      '{"a":1,"\\u0061":2}',
      '[{"a":1},{"b":{"c":1,"c":2}}]',
      '{"a":{"b":1},"c":[],"a":null}',
      '{"":1,"":2}',
      '{"a\\"":1,"a\\u0022":2}',
      '{"a\\\\":1,"a\\u005c":2}',
      '{"__proto__":1,"__proto__":2}',
    ]) {
      expect(inspect(text)).toMatchObject({ problem: 'duplicate_key' });
    }
    for (const text of ['{"a":{"a":1},"b":{"a":2}}', '["a","a"]', '{"a":"a","b":"a"}', '[{"a":1},{"a":1}]']) {
      expect(inspect(text)).toEqual(nothing);
    }
  });

  it('is a key that readers truncate or replace', () => {
    for (const text of ['{"a\\u0000":1}', '{"x":[{"\\ud800":1}]}', '{"a\\udc00b":1}']) {
      expect(inspect(text)).toMatchObject({ problem: 'bad_key' });
    }
    expect(inspect('{"\\ud83d\\ude00":"\\ud800\\u0000"}')).toEqual(nothing);
    expect(inspect('{"a\\n":1,"a\\\\":2,"a\\u0020":3}')).toEqual(nothing);
  });

  it('is the depth of nested objects and arrays', () => {
    const nested = (depth: number) => '[{"a":'.repeat(depth / 2) + 1 + '}]'.repeat(depth / 2);
    expect(inspect(nested(4), 4)).toEqual(nothing);
    expect(inspect(nested(4), 3)).toMatchObject({ problem: 'too_deep' });
    expect(inspect('1', 0)).toEqual(nothing);
    expect(inspect('[]', 0)).toMatchObject({ problem: 'too_deep' });
    expect(inspect('[[],[],{},{}]', 2)).toEqual(nothing);
    expect(inspect('["[[[[","{\\"{{"]', 1)).toEqual(nothing);
  });
});
