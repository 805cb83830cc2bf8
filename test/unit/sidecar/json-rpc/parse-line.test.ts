import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseLine } from '../../../../sidecar/json-rpc/parse-line.ts';
import { checkProperty } from '../../../support/property.ts';

const parse = (text: string) => parseLine(Buffer.from(text));
const call = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read"}}';

describe('a line that every reader understands in the same way', () => {
  it('is parsed as a request, a notification, a result or an error', () => {
    expect(parse(call)).toEqual({
      ok: true,
      message: { kind: 'request', id: 1, method: 'tools/call', params: { name: 'read' } },
      rawArguments: null,
    });
    expect(parse('{"jsonrpc":"2.0","method":"notifications/initialized"}')).toMatchObject({
      message: { kind: 'notification', params: {} },
    });
    expect(parse('{"result":{},"jsonrpc":"2.0","id":"a"}')).toMatchObject({
      message: { kind: 'result', id: 'a' },
    });
    expect(parse('{"jsonrpc":"2.0","id":0,"error":{"code":1,"message":"m"}}')).toMatchObject({
      message: { kind: 'error', id: 0 },
    });
    expect(parse('{"jsonrpc":"2.0","error":{"code":1,"message":"m"}}')).toMatchObject({
      message: { kind: 'error', id: null },
    });
  });

  it('may end with a carriage return, as part of its line ending', () => {
    expect(parse(`${call}\r`)).toEqual(parse(call));
  });

  it('is parsed to the same values that JSON.parse gives, for any arguments and any id', () => {
    const id = fc.oneof(fc.maxSafeInteger(), fc.string({ maxLength: 100 }));
    checkProperty(
      fc.property(
        id,
        fc.string(),
        fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 10 })),
        (id, name, args) => {
          const params = { name, arguments: args };
          const text = JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params });
          expect(parse(text)).toEqual({
            ok: true,
            rawArguments: JSON.stringify(args),
            message: {
              kind: 'request',
              id: JSON.parse(JSON.stringify(id)),
              method: 'tools/call',
              params: JSON.parse(text).params,
            },
          });
        },
      ),
    );
  });
});

describe('a line that readers could understand in different ways', () => {
  const deep = `${'['.repeat(70)}${']'.repeat(70)}`;
  it.each([
    ['bytes that are not UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), 'not_utf8'],
    ['a byte order mark', `\uFEFF${call}`, 'not_json'],
    [
      'a bare carriage return between two messages',
      `{"jsonrpc":"2.0","id":1,\r"method":"ping"}`,
      'control_byte',
    ],
    ['a NUL', `${call}\0`, 'control_byte'],
    ['two values', `${call}${call}`, 'not_json'],
    ['a batch', `[${call}]`, 'not_an_object'],
    ['a bare string', '"tools/call"', 'not_an_object'],
    [
      'a key twice at the top',
      '{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call"}',
      'duplicate_key',
    ],
    [
      'a key twice, once with an escape',
      '{"jsonrpc":"2.0","id":1,"method":"ping","m\\u0065thod":"x"}',
      'duplicate_key',
    ],
    [
      'a tool name twice',
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","name":"b"}}',
      'duplicate_key',
    ],
    [
      'a key twice deep inside an array',
      '{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":[{"b":1,"b":2}]}}',
      'duplicate_key',
    ],
    ['too much nesting', `{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":${deep}}}`, 'too_deep'],
    [
      'a member in another case',
      '{"jsonrpc":"2.0","id":1,"method":"ping","Method":"tools/call"}',
      'unknown_member',
    ],
    ['no version', '{"id":1,"method":"ping"}', 'bad_version'],
    ['another version', '{"jsonrpc":"1.0","id":1,"method":"ping"}', 'bad_version'],
    ['an id of null', '{"jsonrpc":"2.0","id":null,"method":"ping"}', 'bad_id'],
    ['an id with a fraction', '{"jsonrpc":"2.0","id":1.5,"method":"ping"}', 'bad_id'],
    ['an id written 1.0', '{"jsonrpc":"2.0","id":1.0,"method":"ping"}', 'bad_id'],
    ['an id written 1e0', '{"jsonrpc":"2.0","id" : 1e0 ,"method":"ping"}', 'bad_id'],
    ['an id past the safe integers', '{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}', 'bad_id'],
    ['an id that is an object', '{"jsonrpc":"2.0","id":{},"method":"ping"}', 'bad_id'],
    ['a method that is no string', '{"jsonrpc":"2.0","id":1,"method":7}', 'bad_method'],
    ['positional parameters', '{"jsonrpc":"2.0","id":1,"method":"x","params":[]}', 'bad_params'],
    ['a call that is an answer too', '{"jsonrpc":"2.0","id":1,"method":"x","result":{}}', 'mixed_message'],
    ['both a result and an error', '{"jsonrpc":"2.0","id":1,"result":{},"error":{}}', 'mixed_message'],
    ['neither method nor answer', '{"jsonrpc":"2.0","id":1}', 'mixed_message'],
  ])('is refused: %s', (_title, line, problem) => {
    expect(parseLine(Buffer.from(line))).toMatchObject({ ok: false, problem });
  });

  it('is refused for any repeated key, at any place', () => {
    const key = fc.string({ maxLength: 20 });
    checkProperty(
      fc.property(key, fc.array(fc.constantFrom('{"k":', '['), { maxLength: 20 }), (key, opening) => {
        const name = JSON.stringify(key);
        const closing = opening.map((open) => (open === '[' ? ']' : '}')).reverse();
        const params = `{"x":${opening.join('')}{${name}:1, ${name} : 2}${closing.join('')}}`;
        const line = `{"jsonrpc":"2.0","id":1,"method":"x","params":${params}}`;
        expect(parse(line)).toMatchObject({ ok: false, problem: 'duplicate_key' });
      }),
    );
  });

  it.each([
    ['{"jsonrpc":"2.0","id":"a","method":7}', 'bad_method', 'a'],
    ['{"jsonrpc":"2.0","id":1,"method":"x","other":1}', 'unknown_member', 1],
    ['{"jsonrpc":"1.0","id":1,"method":"x"}', 'bad_version', 1],
    ['{"jsonrpc":"2.0","id":1,"method":"x","result":{}}', 'mixed_message', 1],
    ['{"jsonrpc":"2.0","id":1,"method":"x","error":{}}', 'mixed_message', 1],
    ['{"jsonrpc":"2.0","id":1,"method":"x","params":[]}', 'bad_params', 1],
    ['{"jsonrpc":"2.0","id":1,"params":{},"result":{}}', 'mixed_message', 1],
    ['{"jsonrpc":"2.0","id":1,"result":[]}', 'bad_result', 1],
    ['{"jsonrpc":"2.0","id":1,"result":null}', 'bad_result', 1],
    ['{"jsonrpc":"2.0","id":1,"result":{"_meta":null}}', 'bad_result', 1],
    ['{"jsonrpc":"2.0","id":1,"result":{"_meta":{"progressToken":{}}}}', 'bad_result', 1],
    ['{"jsonrpc":"2.0","id":1,"result":{},"error":null}', 'mixed_message', 1],
    ['{"jsonrpc":"2.0","id":1,"error":null}', 'bad_error', 1],
    ['{"jsonrpc":"2.0","id":1,"error":{"code":1.5,"message":"x"}}', 'bad_error', 1],
    ['{"jsonrpc":"2.0","id":1,"error":{"code":"1","message":"x"}}', 'bad_error', 1],
    ['{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":null}}', 'bad_error', 1],
    ['{"jsonrpc":"2.0","id":1,"error":"x"}', 'bad_error', 1],
    ['{"jsonrpc":"2.0","result":{}}', 'bad_id', null],
    ['{"jsonrpc":"2.0","id":1.5,"error":{}}', 'bad_id', null],
    ['{"jsonrpc":"2.0","id":[],"method":"x"}', 'bad_id', null],
    ['{"jsonrpc":"2.0","id":1,"id":2,"method":"x"}', 'duplicate_key', null],
    ['{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":1,}}', 'not_json', null],
    ['["2.0"]', 'not_an_object', null],
  ])('can be answered when its id is certain: %s', (line, problem, id) => {
    expect(parse(line)).toEqual({ ok: false, problem, id });
  });

  it('has a short, well-formed id in plain form', () => {
    const withId = (id: string) => parse(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`);
    for (const id of ['0', '-1', '9007199254740991', '""', `"${'i'.repeat(256)}"`, '"\\ud83d\\ude00"']) {
      expect(withId(id)).toMatchObject({ ok: true, message: { id: JSON.parse(id) } });
    }
    for (const id of ['-0', '1e2', '9007199254740992', `"${'i'.repeat(257)}"`, '"\\ud83d"', '"\\u0000"']) {
      expect(withId(id)).toEqual({ ok: false, problem: 'bad_id', id: null });
    }
  });

  it('has at most 64 levels of nested objects and arrays', () => {
    const nested = (depth: number) =>
      `{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":${'['.repeat(depth)}${']'.repeat(depth)}}}`;
    expect(parse(nested(62))).toMatchObject({ ok: true });
    expect(parse(nested(63))).toMatchObject({ ok: false, problem: 'too_deep' });
  });

  it('may be an error without an id, or with a null one, for an unreadable request', () => {
    const error = { code: 1, message: 'm' };
    for (const id of ['', '"id":null,']) {
      expect(parse(`{"jsonrpc":"2.0",${id}"error":{"code":1,"message":"m"}}`)).toEqual({
        ok: true,
        message: { kind: 'error', id: null, error },
        rawArguments: null,
      });
    }
  });
});

it('never throws, whatever the bytes', () => {
  checkProperty(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      expect(typeof parseLine(Buffer.from(bytes)).ok).toBe('boolean');
    }),
  );
});
