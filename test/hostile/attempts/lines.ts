/** Lines that try to make a server execute a gated tool without the gate's notice. */
import type { CallOutcome } from '../../../contract/audit-event.ts';

export interface LineAttempt {
  what: string;
  /** As sent, in base64 where the bytes are no text. */
  lines: (string | { base64: string })[];
  /** What the agent reads: the reason of each refusal, in order; `ok` where a call was carried out. */
  answers: string[];
  /** What the audit trail records of it. */
  recorded: [tool: string, outcome: CallOutcome][];
  /** It needs a connection of its own, or leaves it unusable. */
  alone?: true;
}

/** The arguments name the attempt, so that the server's ledger tells which one came through. */
const json = (params: object, rest: object = {}) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params, ...rest });
const call = (name: unknown, mark: string, rest: object = {}) =>
  `${json({ name, arguments: { mark } }, rest)}\n`;

/** A call of `open` by another name. */
const named = (what: string, name: string, reason = 'lookalike_tool_name', recorded = name): LineAttempt => ({
  what: `calls the gated tool as ${what}`,
  lines: [call(name, what)],
  answers: [reason],
  recorded: [[recorded, 'refused']],
});

/** A line that is no message at all; it names no call that could be recorded. */
const refused = (what: string, line: string | { base64: string }, reason: string): LineAttempt => ({
  what,
  lines: [line],
  answers: [reason],
  recorded: [],
});

const plain = (mark: string) => call('open', mark).trim();
const edited = (mark: string, from: string, to: string) => `${plain(mark).replace(from, to)}\n`;
const bytes = (...parts: (string | number[])[]) => ({
  base64: Buffer.concat(parts.map((part) => Buffer.from(part as string))).toString('base64'),
});

export const lineAttempts: LineAttempt[] = [
  {
    what: 'calls the gated tool without a grant',
    lines: [call('open', 'without a grant')],
    answers: ['permission_required'],
    recorded: [['open', 'permission_required']],
  },
  {
    what: 'calls the gated tool in a long line of small values, and hurries another line after it',
    lines: [
      `${json({ name: 'open', arguments: { mark: 'long', values: Array(20_000).fill(0) } })}\n`,
      call('Open', 'after the long line'),
    ],
    answers: ['permission_required', 'lookalike_tool_name'],
    recorded: [
      ['open', 'permission_required'],
      ['Open', 'refused'],
    ],
  },
  refused(
    'names the tool twice, forty kilobytes apart',
    edited('far apart', '"arguments"', `"_meta":[${'{},'.repeat(15_000)}{}],"name":"ledger","arguments"`),
    'duplicate_key',
  ),
  named('Open', 'Open'),
  named('OPEN with wide letters', '\uff2f\uff30\uff25\uff2e'),
  named('open with an invisible letter', 'op\u200ben'),
  named('open with a space after it', 'open '),
  named('open with a NUL after it', 'open\0', 'bad_tool_name', 'open\ufffd'),
  {
    what: 'calls a tool with a name that is no text',
    lines: [call(['open'], 'list')],
    answers: ['bad_tool_name'],
    recorded: [],
  },
  refused('names the tool twice', edited('twice', '"name"', '"name":"ledger","name"'), 'duplicate_key'),
  refused(
    'names it twice, once with an escape',
    edited('escape', '"name"', '"name":"ledger","n\\u0061me"'),
    'duplicate_key',
  ),
  refused('sends two params', edited('params', '"params"', '"params":{},"params"'), 'duplicate_key'),
  refused('sends null after the params', `${plain('null').slice(0, -1)},"params":null}\n`, 'duplicate_key'),
  refused('spells the method another way', edited('Method', '"method"', '"Method"'), 'unknown_member'),
  refused('spells params with a long s', edited('long s', '"params"', '"param\u017f"'), 'unknown_member'),
  {
    what: 'spells the name of the tool in two ways',
    lines: [edited('Name', '"name":"open"', '"Name":"open","name":"ledger"')],
    answers: ['lookalike_member'],
    recorded: [['ledger', 'refused']],
  },
  refused('sends a batch', `[${plain('batch')}]\n`, 'not_an_object'),
  refused(
    'sends two messages on a line',
    `{"jsonrpc":"2.0","method":"notifications/progress"}${plain('two')}\n`,
    'not_json',
  ),
  refused(
    'ends a line with a bare carriage return',
    `{"jsonrpc":"2.0","id":1,"method":"ping"}\r${plain('CR')}\n`,
    'control_byte',
  ),
  refused(
    'hides a line between carriage returns in a message',
    `{"jsonrpc":"2.0","id":1,"method":"ping","params":\r${plain('inner CR')}\r}\n`,
    'control_byte',
  ),
  {
    what: 'hides a line between line separators in an argument',
    lines: [call('ledger', `x\u2028${plain('LS')}\u2029${plain('PS')}\u0085${plain('NEL')}\u2028`)],
    alone: true,
    answers: [],
    recorded: [['ledger', 'unknown']],
  },
  {
    what: 'spreads a message over lines',
    lines: [edited('spread', '"params"', '\n"params"')],
    answers: ['not_json', 'not_json'],
    recorded: [],
  },
  refused('begins with a byte order mark', `\ufeff${plain('BOM')}\n`, 'not_json'),
  refused(
    'sends UTF-16',
    { base64: Buffer.from(`${plain('UTF-16')}\n`, 'utf16le').toString('base64') },
    'control_byte',
  ),
  refused(
    'sends an overlong letter',
    bytes(plain('overlong').replace('open"', ''), [0xc1, 0xaf], '"}}\n'),
    'not_utf8',
  ),
  refused('sends NaN', edited('NaN', '"mark"', '"n":NaN,"mark"'), 'not_json'),
  refused(
    'sends a depth bomb',
    `${json({ name: 'open', arguments: 0 }).replace('0}', `${'{"a":'.repeat(500)}0${'}'.repeat(500)}}`)}\n`,
    'too_deep',
  ),
  refused(
    'sends a member that has a meaning for its reader',
    edited('proto', '"id"', '"__proto__":{},"id"'),
    'unknown_member',
  ),
  refused('sends 2 MiB on a line', `${call('open', '@@2097152@@')}`, 'too_large'),
  {
    what: 'leaves its last line without an end',
    alone: true,
    lines: [plain('unterminated')],
    answers: [],
    recorded: [],
  },
  refused(
    'sends a call and a result in one',
    edited('mixed', '"id":1', '"id":1,"result":{}'),
    'mixed_message',
  ),
  refused('says that it speaks another version', edited('version', '"2.0"', '"1.0"'), 'bad_version'),
  ...['null', '1.5', '1.0', '1e0', 'true', '[1]', '9007199254740993'].map((id) =>
    refused(`uses ${id} as an id`, edited(`id ${id}`, '"id":1', `"id":${id}`), 'bad_id'),
  ),
  {
    what: 'calls without an id',
    lines: [edited('no id', '"id":1,', '')],
    answers: ['call_without_id'],
    recorded: [['open', 'refused']],
  },
  {
    what: 'uses the id of a call that is open, as a number and as a text',
    lines: [call('stay', 'stay'), call('open', 'same id'), call('open', 'same id as a text', { id: '1' })],
    alone: true,
    answers: ['id_in_use', 'id_in_use'],
    recorded: [
      ['stay', 'unknown'],
      ['open', 'refused'],
      ['open', 'refused'],
    ],
  },
  {
    what: 'cancels a call before it makes it, and after it made it',
    lines: [
      '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}\n',
      call('open', 'cancelled'),
      '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}\n',
    ],
    answers: ['permission_required'],
    recorded: [['open', 'permission_required']],
  },
  refused('answers itself', '{"jsonrpc":"2.0","id":"hello","result":{"content":[]}}\n', 'unknown_answer'),
  {
    what: 'goes on with a call that nobody asked it to go on with',
    lines: [
      `${json({ name: 'open', arguments: { mark: 'go on' }, requestState: 'approved', inputResponses: {} })}\n`,
    ],
    answers: ['unknown_continuation'],
    recorded: [['open', 'refused']],
  },
  ...[
    'Tools/Call',
    'tools/call ',
    'tools//call',
    'sampling/createMessage',
    'elicitation/create',
    'grants/create',
  ].map((method) =>
    refused(
      `sends the method ${JSON.stringify(method)}`,
      edited(method, 'tools/call', method),
      'method_not_allowed',
    ),
  ),
];

/** Runs them as the agent: on one connection, except those that need a separate one. */
export const sendLines = `async (kit, target, attempts) => {
  const seen = {};
  let shared = null;
  for (const { what, lines, answers, alone } of attempts) {
    if (alone || shared?.isClosed()) {
      shared?.close();
      shared = null;
    }
    shared ??= await kit.openServer('vault');
    shared.received.length = 0;
    shared.send(...lines.map((line) => typeof line === 'string'
      ? line.replace('@@2097152@@', 'x'.repeat(2097152)) : Buffer.from(line.base64, 'base64')));
    for (let waited = 0; shared.received.length < answers.length && waited < 5000; waited += 10) {
      await kit.sleep(10);
    }
    const received = [...(await shared.quiet(alone ? 300 : 40))];
    if (alone) {
      shared.close();
      shared = null;
    }
    seen[what] = received.map(({ error, result }) =>
      error?.data?.reason ?? error?.code ?? result?._meta?.['platform/error']?.code ?? 'ok');
  }
  shared?.close();
  return seen;
}`;
