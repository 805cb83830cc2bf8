/** Where parsers may differ, and what this gate does: each family states the reason. */
import { callOf, callWith, type Line, lines } from './line.ts';

const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;

export const implementationDefinedLines: Line[] = [
  // A lone surrogate in a value decides nothing, and clients that cut a text in the
  // middle of a character send it.
  ...lines(
    'passes',
    'half a surrogate pair in a value',
    ['\\ud800', '\\udfff', '\\ud800a', '\\udc00\\ud800', '\\ud83d', 'a\\uDEAD', '\\uD800\\uD800'].map(
      (text) => callWith(`{"t":"${text}"}`),
    ),
  ),
  // In a key it can merge two keys, or change one key into another.
  ...lines(
    'bad_key',
    'half a surrogate pair in a key',
    ['\\ud800', 'a\\udfff', '\\udc00\\ud800'].map((key) => callWith(`{"x":[{"${key}":1}]}`)),
  ),
  // A server's own affair: no name of the protocol can be reached through `arguments`.
  ...lines('passes', 'the name of the prototype in arguments', [
    callWith('{"__proto__":{"name":"write_file"}}'),
    callWith('{"a":{"__proto__":null,"constructor":{"prototype":1}}}'),
  ]),
  // JSON's whitespace may hold tabs and carriage returns; no client sends them, and some
  // parsers end a line there.
  ...lines('control_byte', 'white space other than spaces', [
    callWith('{}').replaceAll(',', ',\t'),
    `\t${callWith('{}')}`,
    `${callWith('{}')}\r\r`,
    callWith('{"a":\r1}'),
  ]),
  // Numbers of the same value that parsers may serialize in another form.
  ...lines(
    'bad_id',
    'an id in another form',
    ['-0', '1.0', '1e0', '10e-1', '0.0', '-1.0', '9007199254740992', '1E400'].map((id) => callWith('{}', id)),
  ),
  ...lines('bad_id', 'an id without end', [callWith('{}', `"${'x'.repeat(257)}"`)]),
  // Parsers truncate, drop or replace these, and then two ids become one.
  ...lines(
    'bad_id',
    'an id that is not read everywhere as it is written',
    ['"\\u0000"', '"1\\u0000"', '"\\ud800"', '"a\\n"', '"\\u007f"', '"\u0085"'].map((id) =>
      callWith('{}', id),
    ),
  ),
  ...lines('too_deep', 'nesting', [callWith(`{"a":${nested(62)}}`), callWith(`{"a":${nested(1000)}}`)]),
  // The gate has no use for an empty or null `params`, and servers differ on it.
  ...lines('bad_params', 'parameters', [
    '{"jsonrpc":"2.0","id":1,"method":"ping","params":null}',
    '{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}',
  ]),
  ...lines('bad_arguments', 'arguments', [callOf('"name":"read","arguments":null')]),
];
