/** A long line is parsed in turns: with the same result as at once. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseLine, parseLineInTurns } from '../../../../sidecar/json-rpc/parse-line.ts';
import { implementationDefinedLines } from '../../../corpus/json-rpc/implementation-defined.ts';
import { invalidMessages } from '../../../corpus/json-rpc/invalid-messages.ts';
import { invalidTexts } from '../../../corpus/json-rpc/invalid-texts.ts';
import { validLines } from '../../../corpus/json-rpc/valid.ts';
import { LineGenerator } from '../../../fuzz/generate-lines.ts';
import { checkAsyncProperty, runsInMode } from '../../../support/property.ts';
import { announcedSeed, seededRandom } from '../../../support/seeded-random.ts';
import { withTextOfArguments } from './arguments-as-text.ts';
import { withoutPayloads } from './without-payloads.ts';

async function expectSame(line: Buffer): Promise<void> {
  const atOnce = parseLine(line);
  expect(withTextOfArguments(await parseLineInTurns(line, true))).toEqual(atOnce);
  expect(withTextOfArguments(await parseLineInTurns(line, false))).toEqual(withoutPayloads(atOnce));
}

const call = (args: string) =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":${args}}}`;

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
    await checkAsyncProperty(
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
      { runs: 400 },
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
    await checkAsyncProperty(
      fc.asyncProperty(value, (text) => expectSame(Buffer.from(text))),
      { runs: 3000 },
    );
  });

  it('has the same result for names that come again, and for twice the same in one object', async () => {
    const names = Array.from({ length: 2000 }, (_, at) => `${at % 3 === 0 ? 'é'.repeat(at % 40) : 'n'}${at}`);
    const members = names.map((name, at) => `"${name}":${at}`).join(',');
    await expectSame(Buffer.from(call(`{"a":[{${members}},{${members}}]}`)));
    for (const twice of [0, 999, 1999]) {
      await expectSame(Buffer.from(call(`{"a":[{${members}},{${members},"${names[twice]}":0}]}`)));
    }
  });

  it('has the same result for any number', async () => {
    const digits = fc.stringMatching(/^[0-9]{0,18}$/);
    const sign = fc.constantFrom('', '-', '+');
    const written = fc.tuple(
      sign,
      digits,
      fc.constantFrom('', '.'),
      digits,
      fc.constantFrom('', 'e', 'E'),
      sign,
      digits,
    );
    const number = fc.oneof(
      written.map((parts) => parts.join('')),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
      fc.maxSafeInteger().map(String),
    );
    await checkAsyncProperty(
      fc.asyncProperty(number, (text) => expectSame(Buffer.from(call(`[${text}]`)))),
      { runs: 2000 },
    );
  });

  it.each(['2025-11-25', '2026-07-28'] as const)(
    'has the same result for lines of the fuzz test, %s',
    async (protocolVersion) => {
      const lines = new LineGenerator(
        seededRandom(announcedSeed('lines in turns', 'FUZZ_SEED')),
        protocolVersion,
      );
      for (let count = 0; count < runsInMode(1500); count += 1) {
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
});
