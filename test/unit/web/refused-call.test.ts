/**
 * What people see of the very call that was refused: all of it, in its own digits, with nothing that hides.
 */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ApiFailure, unreachable } from '../../../web/src/api/failure.ts';
import {
  charactersOf,
  countHidden,
  piecesOf,
} from '../../../web/src/pages/approvals/call/call-characters.ts';
import { type CallLine, callLines } from '../../../web/src/pages/approvals/call/call-lines.ts';
import { type CallReading, callState } from '../../../web/src/pages/approvals/call/call-state.ts';
import { folded } from '../../../web/src/pages/approvals/call/folded.ts';
import { namedArguments, textLines } from '../../../web/src/pages/approvals/call/named-arguments.ts';
import { checkProperty } from '../../support/property.ts';

const tokensOf = (lines: readonly CallLine[]) => lines.flatMap(({ tokens }) => tokens);
const textOf = (lines: readonly CallLine[]) =>
  lines.map(({ depth, tokens }) => '  '.repeat(depth) + tokens.map(({ text }) => text).join(''));
const linesOf = (argumentsText: string) => callLines(argumentsText) ?? [];

/** Numbers as an agent may write them: no two of them are the same text. */
const numberText = fc.oneof(
  fc.constantFrom('1.0', '1e3', '9007199254740993', '-0', '0.10', '1E+2', '123456789012345678901234567890'),
  fc.integer().map(String),
);

/**
 * JSON text without white space between its tokens, whose strings hold any UTF-16 and
 * whose numbers are any text.
 */
const { value: jsonText } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    numberText,
    fc.constantFrom('true', 'false', 'null'),
    fc.string({ unit: 'binary' }).map((text) => JSON.stringify(text)),
    fc.array(tie('value'), { maxLength: 4 }).map((items) => `[${items.join(',')}]`),
    fc
      .array(fc.tuple(fc.string({ unit: 'binary' }), tie('value')), { maxLength: 4 })
      .map((entries) => `{${entries.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(',')}}`),
  ),
}));

describe('the lines of a call', () => {
  it('are laid out as people read JSON', () => {
    const text = '{"content":"x","deep":{"list":[1.0,{}],"none":[]},"path":"note.txt"}';
    expect(textOf(linesOf(text))).toEqual([
      '{',
      '  "content":"x",',
      '  "deep":{',
      '    "list":[',
      '      1.0,',
      '      {}',
      '    ],',
      '    "none":[]',
      '  },',
      '  "path":"note.txt"',
      '}',
    ]);
    expect(textOf(linesOf('{}'))).toEqual(['{}']);
    expect(textOf(linesOf('-1e3'))).toEqual(['-1e3']);
  });

  it('tell keys from values, and what looks like a token inside of a string from a token', () => {
    const tokens = tokensOf(linesOf('{"a\\"}":"b\\\\","c":"d"}'));
    expect(tokens.filter(({ kind }) => kind === 'key').map(({ text }) => text)).toEqual(['"a\\"}"', '"c"']);
    expect(tokens.filter(({ kind }) => kind === 'string').map(({ text }) => text)).toEqual([
      '"b\\\\"',
      '"d"',
    ]);
  });

  it('together are the text, whatever it is', () => {
    checkProperty(
      fc.property(jsonText, (text) => {
        const lines = linesOf(text);
        expect(
          tokensOf(lines)
            .map((token) => token.text)
            .join(''),
        ).toBe(text);
        expect(lines.every(({ depth }) => depth >= 0)).toBe(true);
        expect(lines.at(-1)?.depth).toBe(0);
      }),
    );
  });

  it('keep the digits of each number', () => {
    checkProperty(
      fc.property(fc.array(numberText, { minLength: 1 }), (numbers) => {
        const shown = tokensOf(linesOf(`{"n":[${numbers.join(',')}]}`));
        expect(shown.filter(({ kind }) => kind === 'number').map(({ text }) => text)).toEqual(numbers);
      }),
    );
  });

  it.each([
    ['is no JSON', '{"a":'],
    ['has white space that the platform does not record', '{ "a":1}'],
    ['goes on after its end', '{}{}'],
    ['is empty', ''],
    ['has a string that does not end', '"a'],
  ])('are not made of a text that %s', (_what, text) => {
    expect(callLines(text)).toBeNull();
  });

  it('of a call that is as deep or as long as one may be are made at once', () => {
    const deepest = 8 * 1024;
    expect(linesOf('['.repeat(deepest) + ']'.repeat(deepest))).toHaveLength(2 * deepest - 1);
    expect(linesOf(`[${'1,'.repeat(deepest)}1]`)).toHaveLength(deepest + 3);
    expect(linesOf(`{"a":"${'\\n'.repeat(deepest)}"}`)).toHaveLength(3);
  });
});

describe('the arguments of a call by name', () => {
  const named = (argumentsText: string) => namedArguments(linesOf(argumentsText));
  const kindOf = (value: string) => named(`{"a":${value}}`)?.[0]?.value.kind;

  it('are those of its JSON, with texts in lines', () => {
    const found = named('{"content":"# Report\\n- \\"one\\"","n":1.0,"list":[1,{"a":2}],"path":"report.md"}');
    expect(found?.map(({ key, value }) => `${key} ${value.kind}`)).toEqual([
      '"content" text',
      '"n" word',
      '"list" json',
      '"path" text',
    ]);
    const [content, number, list] = found ?? [];
    expect(
      content?.value.kind === 'text' &&
        content.value.lines.map((line) => line.map(({ label }) => label).join('')),
    ).toEqual(['# Report', '- "one"']);
    expect(number?.value).toMatchObject({ token: { text: '1.0' } });
    expect(list?.value.kind === 'json' && textOf(list.value.lines).join('')).toBe('[  1,  {    "a":2  }]');
    expect(named('{}')).toEqual([]);
    expect(named('[1]')).toBeNull();
    expect(named('"text"')).toBeNull();
  });

  it.each(['""', '"5"', '"true"', '"null"', '"[x"', '" x"', '"x "', '"\\"x\\""', '5', 'true'])(
    'keep the quotes of %s, which could be taken for something else',
    (value) => {
      expect(kindOf(value)).toBe('word');
    },
  );

  it('lose no character of a text, and mark the spaces at the end of a line', () => {
    checkProperty(
      fc.property(fc.string({ unit: 'binary' }), (value) => {
        const lines = textLines(JSON.stringify(value));
        const text = lines.map((line) => line.map(({ source }) => source).join('')).join('\\n');
        expect(JSON.parse(`"${text}"`)).toBe(value);
      }),
    );
    const [line] = textLines('"a  \\nb"');
    expect(line?.map(({ kind }) => kind)).toEqual(['plain', 'hidden', 'hidden']);
  });

  it('together are all of the call', () => {
    checkProperty(
      fc.property(fc.dictionary(fc.string(), jsonText), (entries) => {
        const text = `{${Object.entries(entries)
          .map(([key, value]) => `${JSON.stringify(key)}:${value}`)
          .join(',')}}`;
        expect(named(text)?.map(({ key }) => key)).toEqual(
          Object.keys(entries).map((key) => JSON.stringify(key)),
        );
      }),
    );
  });
});

/** Labels of the marks of a string's JSON text, and their names. */
const marksOf = (value: string) =>
  piecesOf(charactersOf(JSON.stringify(value)))
    .filter(({ name }) => name !== null)
    .map(({ kind, label, name, count }) => `${kind} ${label} ${count}: ${name}`);

describe('the characters of a call', () => {
  it.each([
    ['a right-to-left override', 'a\u202Eb', ['hidden \\u202E 1: U+202E right-to-left override']],
    ['zero-width spaces', '\u200B\u200B', ['hidden \\u200B 2: U+200B zero-width space']],
    ['a no-break space', 'rm\u00A0-rf', ['hidden \\u00A0 1: U+00A0 no-break space']],
    ['tag characters', '\u{E0041}', ['hidden \\u{E0041} 1: U+E0041 tag character']],
    ['a selector of another shape', 'a\uFE0F', ['hidden \\uFE0F 1: U+FE0F variation selector']],
    ['a character of private use', '\uE000', ['hidden \\uE000 1: U+E000 private-use character']],
    ['half a surrogate pair', 'a\uD800b', ['hidden \\uD800 1: U+D800 half of a surrogate pair']],
    [
      'control characters',
      '\u0000\u007F',
      ['hidden \\u0000 1: U+0000 control character', 'hidden \\u007F 1: U+007F control character'],
    ],
    ['a backspace', 'a\b', ['hidden \\u0008 1: U+0008 control character']],
    ['line feeds and tabs', 'a\n\n\tb', ['escape \\n\\n 2: U+000A line feed', 'escape \\t 1: U+0009 tab']],
    ['spaces that push something away', `a${' '.repeat(3000)}b`, ['hidden space 3000: U+0020 space']],
    ['nothing in plain text of any language', 'Grüße, мир, 世界, مرحبا, 🎉\\n "x"', []],
    ['nothing in indentation', `${' '.repeat(16)}return`, []],
  ])('mark %s', (_what, value, expected) => {
    expect(marksOf(value)).toEqual(expected);
  });

  it('tell a backslash before a letter from the escape of a line feed', () => {
    expect(marksOf('\\n')).toEqual([]);
    expect(marksOf('\\\n')).toEqual(['escape \\n 1: U+000A line feed']);
  });

  it('mark line feeds and tabs also where no escape stands for them', () => {
    expect(piecesOf(charactersOf('a\n\t')).map(({ kind, label }) => `${kind} ${label}`)).toEqual([
      'plain a',
      'hidden \\u000A',
      'hidden \\u0009',
    ]);
  });

  it('of scripts that are written from right to left cannot reorder what surrounds them', () => {
    const pieces = piecesOf(charactersOf('"/home/\u05D0\u05D1/12/\u05D2/x"'));
    expect(pieces.map(({ kind, source }) => [kind, source])).toEqual([
      ['plain', '"/home/'],
      ['leftward', '\u05D0\u05D1'],
      ['plain', '/12/'],
      ['leftward', '\u05D2'],
      ['plain', '/x"'],
    ]);
  });

  it('are all shown as they are, or marked', () => {
    // Not the platform's own list: what must never be drawn as it is.
    const mustBeMarked = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}\p{Variation_Selector}]|(?! )\p{Zs}/u;
    checkProperty(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (value) => {
        const token = JSON.stringify(value);
        const characters = charactersOf(token);
        const pieces = piecesOf(characters);
        expect(pieces.map(({ source }) => source).join('')).toBe(token);
        expect(pieces.reduce((sum, { count }) => sum + count, 0)).toBe(characters.length);
        for (const { name, source, label } of pieces) {
          expect(mustBeMarked.test(label)).toBe(false);
          expect(name !== null || label === source).toBe(true);
        }
      }),
    );
  });

  it('are counted as characters of the value, not of its text', () => {
    for (const value of ['a\n\u0000"\\🎉', 'x'.repeat(500)]) {
      expect(charactersOf(JSON.stringify(value))).toHaveLength([...value].length + 2);
    }
    expect(countHidden(charactersOf('"a\u202E\u200B b\\n"'))).toBe(2);
    expect(countHidden(charactersOf(`"${' '.repeat(500)}"`))).toBe(500);
  });
});

describe('what is folded', () => {
  const limits = fc
    .record({ head: fc.nat(20), tail: fc.nat(20), more: fc.nat(20) })
    .map(({ head, tail, more }) => ({ head, tail, most: head + tail + more }));

  it('is set apart between a beginning and an end, which together are the whole', () => {
    checkProperty(
      fc.property(fc.array(fc.integer(), { maxLength: 100 }), limits, (items, limit) => {
        const { head, hidden, tail } = folded(items, limit);
        expect([...head, ...hidden, ...tail]).toEqual(items);
        expect(head.length + tail.length).toBeLessThanOrEqual(limit.most);
        expect(hidden.length === 0).toBe(items.length <= limit.most);
      }),
    );
  });

  it('never hides how something ends', () => {
    const hostile = charactersOf(JSON.stringify(`${'harmless '.repeat(400)}; rm -rf /`));
    const { head, hidden, tail } = folded(hostile, { most: 200, head: 100, tail: 60 });
    expect([head.length, hidden.length, tail.length]).toEqual([100, hostile.length - 160, 60]);
    expect(tail.map(({ source }) => source).join('')).toMatch(/; rm -rf \/"$/);
  });
});

describe('the call of a request', () => {
  const digest = 'a'.repeat(64);
  const call = { server: 'files', tool: 'write_file', digest, arguments_size_bytes: 2 };
  const without = { ...call, digest: null };
  const reading: CallReading = { isWanted: true, answer: undefined, error: null };
  const refused = new ApiFailure('Only its operator may read a session', { status: 403, code: 'forbidden' });

  it.each([
    ['is absent', null, reading, { kind: 'none' }],
    ['was not kept', { ...without, arguments_size_bytes: null }, reading, { kind: 'not-kept' }],
    [
      'is too large',
      { ...without, arguments_size_bytes: 1_200_000 },
      reading,
      { kind: 'too-large', sizeBytes: 1_200_000 },
    ],
    ['was not asked for', call, { ...reading, isWanted: false }, { kind: 'unread' }],
    ['comes', call, reading, { kind: 'loading' }],
    ['did not come', call, { ...reading, error: unreachable() }, { kind: 'failed' }],
    [
      'is for others',
      call,
      { ...reading, error: refused },
      { kind: 'withheld', rule: 'Only its operator may read a session' },
    ],
    ['was erased', call, { ...reading, answer: { digest, arguments: null } }, { kind: 'erased' }],
    [
      'is another one',
      call,
      { ...reading, answer: { digest: 'b'.repeat(64), arguments: '{}' } },
      { kind: 'replaced' },
    ],
    [
      'is shown, also when reading it again failed',
      call,
      { ...reading, answer: { digest, arguments: '{}' }, error: unreachable() },
      {
        kind: 'shown',
        lines: [
          {
            depth: 0,
            tokens: [
              { kind: 'mark', text: '{' },
              { kind: 'mark', text: '}' },
            ],
          },
        ],
      },
    ],
    [
      'is not what the platform records',
      call,
      { ...reading, answer: { digest, arguments: 'x' } },
      { kind: 'unreadable', argumentsText: 'x' },
    ],
  ])('%s', (_what, of, read, expected) => {
    expect(callState(of, read)).toEqual(expected);
  });
});
