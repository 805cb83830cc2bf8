/** A long line is parsed in turns: with the same result as at once, and without blocking the event loop. */
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Params } from '../../../../sidecar/json-rpc/message.ts';
import { type ParsedLine, parseLine, parseLineInTurns } from '../../../../sidecar/json-rpc/parse-line.ts';
import { implementationDefinedLines } from '../../../corpus/json-rpc/implementation-defined.ts';
import { invalidMessages } from '../../../corpus/json-rpc/invalid-messages.ts';
import { invalidTexts } from '../../../corpus/json-rpc/invalid-texts.ts';
import { validLines } from '../../../corpus/json-rpc/valid.ts';
import { LineGenerator } from '../../../fuzz/generate-lines.ts';
import { cpuMs, longestHold } from '../../../support/loop-hold.ts';
import { seededRandom } from '../../../support/seeded-random.ts';

async function expectSame(line: Buffer): Promise<void> {
  const atOnce = parseLine(line);
  expect(await parseLineInTurns(line, true)).toEqual(atOnce);
  expect(await parseLineInTurns(line, false)).toEqual(withoutPayloads(atOnce));
}

/** What a call or a result carries is empty. */
function withoutPayloads(parsed: ParsedLine): ParsedLine {
  if (!parsed.ok) {
    return parsed;
  }
  const { message } = parsed;
  if (message.kind === 'request' || message.kind === 'notification') {
    return { ...parsed, message: { ...message, params: emptied(message.params, ['arguments']) } };
  }
  return message.kind === 'result'
    ? {
        ...parsed,
        message: { ...message, result: emptied(message.result, ['content', 'structuredContent']) },
      }
    : parsed;
}

function emptied(members: Params, names: string[]): Params {
  const changed = Object.entries(members).map(([name, value]) => {
    const isPayload = names.includes(name) && typeof value === 'object' && value !== null;
    return [name, isPayload ? (Array.isArray(value) ? [] : {}) : value];
  });
  return Object.fromEntries(changed);
}

const call = (args: string) =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":${args}}}`;
/** A call of about a megabyte. */
const longCall = (piece: (at: number) => string, wrap: (pieces: string) => string) => {
  const pieces: string[] = [];
  for (let size = 0; size < 1_000_000; size += (pieces.at(-1) ?? '').length + 1) {
    pieces.push(piece(pieces.length));
  }
  return Buffer.from(call(wrap(pieces.join(','))));
};
const inList = (pieces: string) => `{"a":[${pieces}]}`;
const longLines: [string, Buffer][] = [
  ['numbers', longCall(() => '0', inList)],
  ['empty objects', longCall(() => '{}', inList)],
  ['small objects', longCall(() => '{"":0}', inList)],
  [
    'many members',
    longCall(
      (at) => `"${at.toString(36)}":0`,
      (pieces) => `{${pieces}}`,
    ),
  ],
  ['nested lists', longCall(() => '['.repeat(60) + ']'.repeat(60), inList)],
  ['one string', Buffer.from(call(`{"a":"${'\\"'.repeat(500_000)}"}`))],
  ['a value of its own after the end', Buffer.from(`${call('{"a":"b"}')}${' '.repeat(1_000_000)}1`)],
];

describe('a line that is parsed in turns', () => {
  it('has the same result as when parsed at once, for every line of the corpus', async () => {
    for (const { bytes } of [
      ...validLines,
      ...implementationDefinedLines,
      ...invalidTexts,
      ...invalidMessages,
    ]) {
      await expectSame(bytes);
    }
  });

  it('has the same result for strings of several pieces, wherever an escape is', async () => {
    const units = [
      'a',
      'é',
      '😀',
      ' ',
      '0',
      'd',
      '\\\\',
      '\\"',
      '\\n',
      '\\u00e9',
      '\\ud83d\\ude00',
      '\\ud83d',
      '\\u12',
      '\\x',
      '\\',
      '"',
    ];
    const valid = units.slice(0, 12);
    const mixed = fc.array(fc.constantFrom(...valid), { minLength: 1, maxLength: 12 });
    const last = fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...valid) }, fc.constantFrom(...units));
    await fc.assert(
      fc.asyncProperty(
        mixed,
        fc.integer({ min: 4080, max: 4112 }),
        last,
        fc.boolean(),
        async (some, length, end, isKey) => {
          // One period of units again and again, so that a piece ends at each of their positions in some run.
          const text =
            some.join('').repeat(Math.ceil((3 * length) / some.join('').length)) + end + 'a'.repeat(length);
          await expectSame(Buffer.from(call(isKey ? `{"${text}":0}` : `{"a":"${text}","b":["${text}"]}`)));
        },
      ),
      { numRuns: 400 },
    );
  });

  it('has the same result for any text similar to JSON', async () => {
    const scalar = fc.constantFrom(
      ...[
        '0',
        '-0',
        '-',
        '01',
        '1.',
        '.5',
        '1.5e3',
        '1e999',
        '1E-2',
        '+1',
        'true',
        'tru',
        'null',
        'nulll',
        '""',
      ],
      ...[
        '"a"',
        '"\\u0000"',
        '"\\ud800"',
        '"\\ud83d\\ude00"',
        '"\\x"',
        '"\\"',
        '"',
        '"\\\\"',
        ' ',
        '',
        '\t',
        '﻿',
      ],
    );
    const key = fc.constantFrom(
      '"id"',
      '"params"',
      '"arguments"',
      '"__proto__"',
      '"a"',
      '"\\u0061"',
      '"\\u0000"',
      'a',
      '""',
    );
    const { value } = fc.letrec<{ value: string }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4, withCrossShrink: true },
        scalar,
        fc
          .tuple(fc.array(tie('value'), { maxLength: 4 }), fc.constantFrom(']', ',]', '', '}'))
          .map(([items, end]) => `[${items.join(',')}${end}`),
        fc
          .tuple(
            fc.array(fc.tuple(key, fc.constantFrom(':', ' : ', ','), tie('value')), { maxLength: 4 }),
            fc.constantFrom('}', ' }', ',}', ']'),
          )
          .map(([members, end]) => `{${members.map((member) => member.join('')).join(',')}${end}`),
        tie('value').map((inner) => `${'['.repeat(64)}${inner}${']'.repeat(64)}`),
        tie('value').map((inner) => call(inner)),
      ),
    }));
    await fc.assert(
      fc.asyncProperty(value, (text) => expectSame(Buffer.from(text))),
      { numRuns: 3000 },
    );
  });

  it.each(['2025-11-25', '2026-07-28'] as const)(
    'has the same result for lines of the fuzz test, %s',
    async (era) => {
      const lines = new LineGenerator(seededRandom(7), era);
      for (let count = 0; count < 1500; count += 1) {
        await expectSame(lines.line());
      }
    },
  );

  it('leaves out of a message what it carries, and nothing else, where nobody keeps it', async () => {
    const carried = '[{"a":[{"b":"c\\n"}]}]';
    const others = `"isError":true,"_meta":{"content":${carried}},"more":${carried}`;
    const result = `{"content":${carried},"structuredContent":{"content":${carried}},${others}}`;
    const answer = (text: string) => Buffer.from(`{"jsonrpc":"2.0","id":1,"result":${text}}`);
    await expectSame(answer(result));
    expect(await parseLineInTurns(answer(result), false)).toMatchObject({
      message: {
        result: { content: [], structuredContent: {}, isError: true, more: [{ a: [{ b: 'c\n' }] }] },
      },
    });
    await expectSame(Buffer.from(call(`{"a":${carried},"arguments":${carried}}`)));
    for (const problem of [
      '{"a":1,"a":2}',
      '[[{"a":1,"b":{},"a":2}]]',
      `${'['.repeat(64)}${']'.repeat(64)}`,
    ]) {
      for (const line of [answer(`{"content":${problem}}`), Buffer.from(call(`{"a":${problem}}`))]) {
        expect((await parseLineInTurns(line, false)).ok).toBe(false);
        await expectSame(line);
      }
    }
  });

  it.each(longLines.flatMap(([title, line]) => [true, false].map((keeps) => [title, keeps, line] as const)))(
    'does not block for long: %s, payloads kept: %s',
    async (_title, keepsPayloads, line) => {
      const once = cpuMs();
      const parsed = parseLine(line);
      const atOnceMs = cpuMs() - once;
      const expected = keepsPayloads ? parsed : withoutPayloads(parsed);
      // What parses quickly at once (a single long string) needs no turns.
      const boundMs = Math.max(atOnceMs / 2, 30);
      const heldMs: number[] = [];
      // Garbage collection and compilation come at any time; what blocks the loop by itself does so in every round.
      do {
        const reading = await longestHold(() => parseLineInTurns(line, keepsPayloads));
        // A matcher that shows differences would take minutes for a megabyte.
        expect(isDeepStrictEqual(reading.result, expected)).toBe(true);
        heldMs.push(reading.heldMs);
      } while (Math.min(...heldMs) >= boundMs && heldMs.length < 5);
      expect(Math.min(...heldMs)).toBeLessThan(boundMs);
    },
  );

  it('takes turns with other long lines, in order', async () => {
    const [, numbers] = longLines[0] ?? [];
    const line = numbers ?? Buffer.alloc(0);
    const order: string[] = [];
    const read = (name: string) => parseLineInTurns(line, true).then(() => order.push(name));
    const first = read('first');
    const second = read('second');
    const third = parseLineInTurns(Buffer.from(call('{}')), true).then(() => order.push('short'));
    await Promise.all([first, second, third]);
    expect(order[0]).toBe('short');
  });
});
