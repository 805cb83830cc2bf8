/** What clients send, and what the gate has no reason to refuse: forwarded byte for byte. */
import { callOf, callWith, type Line, lines, message } from './line.ts';

const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
const request = (method: string, params = '{}') =>
  `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`;
const notification = (method: string, params = '{}') =>
  `{"jsonrpc":"2.0","method":"${method}","params":${params}}`;

export const validLines: Line[] = [
  ...lines(
    'passes',
    'a value',
    [
      ...[
        '{}',
        '{"a":null}',
        '{"a":true,"b":false}',
        '{"a":""}',
        '{"":1}',
        '{"a":[]}',
        '{"a":{}}',
        '{"a":[{}]}',
      ],
      ...['{"a":[1,"2",null,true,{"b":[]}]}', '{ "a" : [ 1 , 2 ] , "b" : { } }'],
      ...['{"a":{"b":1},"c":{"b":2}}', '{"a":[{"b":1},{"b":2}]}', '{"b":{"a":1},"a":{"b":1}}'],
      ...['{"a":1,"A":2}', '{"path":1,"PATH":2,"Path":3}', '{"key":"\\u0000"}', '{"a":"[\\"{"}'],
    ].map((args) => callWith(args)),
  ),
  ...lines(
    'passes',
    'a number',
    [
      ...[
        '0',
        '-0',
        '0.0',
        '-1',
        '1.5',
        '1e2',
        '1E2',
        '1e+2',
        '1e-2',
        '1.0e0',
        '-0.0e-0',
        '123456789.000000001',
      ],
      ...['9007199254740991', '9007199254740992', '9007199254740993', '-9007199254740993'],
      ...['1e400', '-1e400', '1e-400', '1e99999', '100000000000000000000000000000000000000000000000000'],
      ...['0.1000000000000000055511151231257827021181583404541015625', '1.7976931348623157e308', '5e-324'],
    ].map((number) => callWith(`{"n":${number}}`)),
  ),
  ...lines(
    'passes',
    'a text',
    [
      ...[
        '\\"',
        '\\\\',
        '\\/',
        '\\b\\f\\n\\r\\t',
        '\\u0000',
        '\\u001f',
        '\\u007f',
        '\\u0085',
        '\\u2028\\u2029',
      ],
      ...[
        '\\u00e9',
        'é',
        'e\u0301',
        '\\ud83d\\ude00',
        '😀',
        '👩‍👩‍👧',
        '\u{10ffff}',
        '\ufffe',
        '\uffff',
        '\ufffd',
      ],
      ...['\u007f', '\u0080', '\u0085', '\u009f', '\u00a0', '\u2028', '\u2029', '\ufeff', '\u200b', '\u202e'],
      ...['{\\"jsonrpc\\":\\"2.0\\"}', '\u2028{"', '}\\n{', 'a'.repeat(5000), '\\\\'.repeat(1000), '\\\\\\"'],
    ]
      // A bare quote would end the text.
      .filter((text) => !text.endsWith('{"'))
      .map((text) => callWith(`{"t":"${text}"}`)),
  ),
  ...lines(
    'passes',
    'a key of arguments',
    [
      ...['method', 'Method', 'jsonrpc', 'id', 'params', 'name', 'Name', 'arguments', '_meta', 'constructor'],
      ...[
        'toString',
        'a b',
        'é',
        '😀',
        '\\n',
        '\\u007f',
        '\\u0001',
        '\u2028',
        'a'.repeat(2000),
        '\\"',
        '\\\\',
      ],
    ].map((key) => callWith(`{"${key}":1}`)),
  ),
  ...lines(
    'passes',
    'an id',
    [
      ...['0', '-1', '9007199254740991', '-9007199254740991', '70', '-7', '"8"', '""', '" "', '"a"', '"é😀"'],
      ...[
        '"00000000-0000-4000-8000-000000000000"',
        '"a\\"b"',
        '"\\u0061"',
        `"${'x'.repeat(256)}"`,
        '"70"',
        '"7a"',
      ],
    ].map((id) => callWith('{}', id)),
  ),
  ...lines('passes', 'a layout', [
    callWith(`{"a":${nested(61)}}`),
    ` ${callWith('{}')}`,
    `${callWith('{}')} `,
    `${callWith('{}')}\r`,
    '{ "jsonrpc" : "2.0" , "id" : 1 , "method" : "ping" }',
    `{"params":{"arguments":{},"name":"read"},"method":"tools/call","id":1,"jsonrpc":"2.0"}`,
    message('"jsonrpc":"2.0","id":1,"method":"ping"'),
    message('"\\u006asonrpc":"2.0","i\\u0064":1,"metho\\u0064":"pin\\u0067"'),
    callOf('"name":"read"'),
    callOf('"n\\u0061me":"read","arguments":{}'),
    callOf('"name":"read","_meta":{"progressToken":1}'),
    callOf('"name":"read","_meta":{"vendor/Key":1,"traceparent":"00-1-2-01"}'),
    callOf('"name":"read","task":{"ttl":1}'),
    callOf('"name":"read","vendorExtension":{"a":1}'),
  ]),
  ...lines('gated', 'a call of the gated tool', [
    callOf('"name":"write_file"'),
    callOf('"name":"write_file","arguments":{"path":"/tmp/a","content":"b"}'),
    callOf('"arguments":{"name":"read"},"name":"write_file"'),
    callOf('"name":"write\\u005ffile"'),
    callOf('"n\\u0061me":"\\u0077rite_file"'),
  ]),
  ...lines('passes', 'a method', [
    ...['ping', 'tools/list', 'prompts/list', 'resources/list', 'resources/templates/list', 'tasks/list'].map(
      (method) => request(method),
    ),
    request(
      'initialize',
      '{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}',
    ),
    request('tools/list', '{"cursor":"next"}'),
    request('prompts/get', '{"name":"p","arguments":{"Name":"x"}}'),
    request('resources/read', '{"uri":"file:///a"}'),
    request('resources/subscribe', '{"uri":"file:///a"}'),
    request('resources/unsubscribe', '{"uri":"file:///a"}'),
    request('logging/setLevel', '{"level":"info"}'),
    request(
      'completion/complete',
      '{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":"b"}}',
    ),
    ...['tasks/get', 'tasks/result', 'tasks/cancel'].map((method) => request(method, '{"taskId":"t"}')),
    notification('notifications/initialized'),
    '{"jsonrpc":"2.0","method":"notifications/initialized"}',
    notification('notifications/roots/list_changed'),
    notification('notifications/progress', '{"progressToken":1,"progress":0.5,"total":1}'),
    notification('notifications/cancelled', '{"requestId":7,"reason":"changed my mind"}'),
    '{"jsonrpc":"2.0","id":"p","result":{}}',
    '{"jsonrpc":"2.0","id":"p","error":{"code":-32000,"message":"no"}}',
  ]),
];
