/**
 * Messages that violate the protocol, that a lenient server could mistake for others,
 * or that bypass the gate.
 */
import {
  callMembers,
  callOf,
  callWith,
  envelopeMembers,
  head,
  type Line,
  lines,
  message,
  spellingsOf,
} from './line.ts';

export const invalidMessages: Line[] = [
  ...lines('unknown_member', 'a member that is none of the envelope', [
    ...envelopeMembers.flatMap((member) =>
      spellingsOf(member).map((spelling) => `{${head},"method":"ping","${spelling}":"x"}`),
    ),
    ...['meta', '_meta', '__proto__', 'constructor', 'toString', '', 'batch', 'version', 'auth'].map(
      (member) => `{${head},"method":"ping","${member}":{}}`,
    ),
    `{"jſonrpc":"2.0","id":1,"method":"ping"}`,
    `{"JSONRPC":"2.0","ID":1,"METHOD":"ping"}`,
  ]),
  ...lines('bad_version', 'another version', [
    ...['"1.0"', '"2"', '"2.0 "', '"２.0"', '2.0', '2', 'null', 'true', '["2.0"]', '{}', '""', '"2.00"'].map(
      (version) => message(`"jsonrpc":${version},"id":1,"method":"ping"`),
    ),
    '{"id":1,"method":"ping"}',
    '{}',
  ]),
  ...lines(
    'bad_id',
    'no id',
    [
      ...[
        'null',
        'true',
        'false',
        '[]',
        '[1]',
        '{}',
        '{"a":1}',
        '0.5',
        '1.5',
        '-1.5',
        '1e400',
        '1e-1',
        '1e3',
      ],
      ...['9007199254740993', '-9007199254740993', '100000000000000000000'],
    ].map((id) => callWith('{}', id)),
  ),
  ...lines(
    'id_in_use',
    'an id that could be taken for the one in flight',
    ['7', '"7"', '"7.0"', '" 7"', '"7 "', '"07"', '"7e0"', '"0x7"', '"+7"', '"70e-1"'].map((id) =>
      callWith('{}', id),
    ),
  ),
  ...lines(
    'bad_method',
    'no method',
    ['7', 'null', '["ping"]', '{}', 'true'].map((method) => `{${head},"method":${method}}`),
  ),
  ...lines(
    'method_not_allowed',
    'a method that is not on the list',
    [
      ...[
        '',
        'Ping',
        'PING',
        'ping ',
        ' ping',
        'ping\\u0000',
        'toolſ/call',
        'Tools/Call',
        'tools/call ',
        'tools//call',
      ],
      ...[
        'tools/call\\u0000',
        'tools\\\\call',
        'tools.call',
        'tools/',
        '/tools/call',
        'tools/cаll',
        'rpc.discover',
      ],
      ...[
        'server/discover',
        'subscriptions/listen',
        'sampling/createMessage',
        'elicitation/create',
        'roots/list',
      ],
      ...[
        'notifications/initialized',
        'notifications/cancelled',
        'constructor',
        '__proto__',
        'tools/call\\ud800',
      ],
    ].map((method) => `{${head},"method":"${method}","params":{}}`),
  ),
  ...lines('method_not_allowed', 'a request that is sent as news', [
    ...['ping', 'tools/list', 'initialize', 'notifications/message', 'notifications/unknown'].map(
      (method) => `{"jsonrpc":"2.0","method":"${method}"}`,
    ),
  ]),
  ...lines('call_without_id', 'a call that cannot be answered', [
    '{"jsonrpc":"2.0","method":"tools/call","params":{"name":"write_file"}}',
    '{"jsonrpc":"2.0","method":"tools/call","params":{"name":"read"}}',
    '{"jsonrpc":"2.0","method":"tools/call"}',
  ]),
  ...lines('mixed_message', 'a message of two kinds, or of none', [
    `{${head},"method":"ping","result":{}}`,
    `{${head},"method":"ping","error":{}}`,
    `{${head},"result":{},"error":{}}`,
    `{${head},"result":{},"params":{}}`,
    `{${head},"result":{},"error":null}`,
    `{${head}}`,
    '{"jsonrpc":"2.0"}',
  ]),
  ...lines('bad_result', 'a result that not every client reads', [
    `{${head},"result":null}`,
    `{${head},"result":[]}`,
    `{${head},"result":{"_meta":null}}`,
  ]),
  ...lines('bad_error', 'an error that not every client reads', [
    `{${head},"error":"no"}`,
    `{${head},"error":null}`,
    `{${head},"error":{"code":1,"message":null}}`,
    `{${head},"error":{"code":"1","message":"x"}}`,
  ]),
  ...lines('unknown_answer', 'an answer that nobody waits for', [
    '{"jsonrpc":"2.0","id":7,"result":{}}',
    '{"jsonrpc":"2.0","id":"P","result":{}}',
    '{"jsonrpc":"2.0","id":"p ","result":{}}',
    '{"jsonrpc":"2.0","id":1,"result":{"content":[]}}',
    '{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}',
    '{"jsonrpc":"2.0","error":{"code":1,"message":"x"}}',
  ]),
  ...lines(
    'unknown_cancellation',
    'a cancellation of what is not in flight',
    ['"7"', '8', '7.5', 'null', '[7]', '{}', 'true', '"p"'].map(
      (id) => `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${id}}}`,
    ),
  ),
  ...lines('bad_params', 'positional parameters', [
    `{${head},"method":"tools/call","params":["write_file"]}`,
    `{${head},"method":"tools/call","params":"write_file"}`,
    `{${head},"method":"tools/call","params":1}`,
  ]),
  ...lines('lookalike_member', 'a member that could be taken for one of a call', [
    ...callMembers.flatMap((member) =>
      spellingsOf(member).map((spelling) => callOf(`"name":"read","${spelling}":"write_file"`)),
    ),
    ...[
      'meta',
      'request_state',
      'input_responses',
      'Na_me',
      'na-me',
      'name\\u0001',
      '\\u007fname',
      '__proto__',
    ].map((member) => callOf(`"name":"read","${member}":{"name":"write_file"}`)),
    callOf('"Name":"write_file"'),
    callOf('"name":"read","_meta":{"ProgressToken":1}'),
    callOf('"name":"read","_meta":{"IO.modelcontextprotocol/protocolVersion":"2026-07-28"}'),
    callOf('"name":"read","_meta":{"__proto__":{}}'),
    '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"RequestId":7}}',
    '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":8,"request_id":7}}',
    `{${head},"method":"resources/read","params":{"uri":"a","URI":"b"}}`,
    `{${head},"method":"initialize","params":{"ProtocolVersion":"2026-07-28"}}`,
  ]),
  ...lines(
    'bad_tool_name',
    'no name of a tool',
    [
      ...[
        '"name":""',
        '"name":null',
        '"name":7',
        '"name":["write_file"]',
        '"name":{"a":1}',
        '"name":true',
        '',
      ],
      ...[
        '"name":"write_file\\u0000"',
        '"name":"\\u0000"',
        '"name":"write_file\\n"',
        '"name":"write_file\\ud800"',
      ],
      ...['"name":"write\\udfff_file"', '"name":"write_file\\u007f"', '"name":"write_file\u0085"'],
      ...[`"name":"${'x'.repeat(257)}"`, '"arguments":{"name":"read"}'],
    ].map(callOf),
  ),
  ...lines(
    'lookalike_tool_name',
    'a name that could be taken for a gated one',
    [
      ...['Write_File', 'WRITE_FILE', 'write_filE', 'write_file ', ' write_file', 'ｗrite_file', 'write_ﬁle'],
      ...[
        'wrıte_file',
        'write\u200b_file',
        'write_file\ufeff',
        'write\u00ad_file',
        'write_file\u2028',
        'write＿file',
      ],
      ...['write_file\u180e', '\u202ewrite_file', 'wri\u034fte_file'],
    ].map((name) => callOf(`"name":"${name}"`)),
  ),
  ...lines(
    'bad_arguments',
    'no arguments',
    ['[]', '"a"', '1', 'true', '[{"path":1}]'].map((args) => callWith(args)),
  ),
  ...lines('unknown_continuation', 'a further round of no call', [
    callOf('"name":"write_file","requestState":"s"'),
    callOf('"name":"read","inputResponses":{}'),
    callOf('"name":"read","requestState":null'),
  ]),
];
