/** All ways to write one value have one canonical text, and no other value has it. */
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { canonicalJson } from '../../../../sidecar/json-rpc/canonical-json.ts';
import { parseLine, parseLineInTurns } from '../../../../sidecar/json-rpc/parse-line.ts';
import { validLines } from '../../../corpus/json-rpc/valid.ts';
import { LineGenerator } from '../../../fuzz/generate-lines.ts';
import { checkProperty, runsInMode } from '../../../support/property.ts';
import { announcedSeed, seededRandom } from '../../../support/seeded-random.ts';
import { anyArguments, changeModel, comparable, writeModel } from './json-model.ts';

const maxBytes = 16 * 1024;
const textOf = (raw: string | Uint8Array) => canonicalJson(raw, maxBytes).text;
const tooLarge = (raw: string) => ({ text: null, sizeBytes: Buffer.byteLength(raw) });
const call = (args: string) =>
  Buffer.from(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":${args}}}`);
const seed = fc.nat();

describe('the canonical text', () => {
  it.each([
    ['no space', '{ "a" : [ 1 , { } , [ ] ] }', '{"a":[1,{},[]]}'],
    [
      'members in the order of UTF-16 code units',
      '{"b":1,"\uffff":2,"a":{"d":3,"c":4},"B":5,"\ud83d\ude00":6,"":7}',
      '{"":7,"B":5,"a":{"c":4,"d":3},"b":1,"\ud83d\ude00":6,"\uffff":2}',
    ],
    ['members whose names are numbers in that order, too', '{"10":1,"9":2,"-1":3}', '{"-1":3,"10":1,"9":2}'],
    [
      'keys by their value, not as they were written',
      '{"\\u0062":1,"a":2,"\\u0041":3}',
      '{"A":3,"a":2,"b":1}',
    ],
    [
      'strings in the shortest way',
      '["\\u0061\\/\\u00e9","\\ud83d\\ude00","\\u000a\\u0001"]',
      '["a/\u00e9","\ud83d\ude00","\\n\\u0001"]',
    ],
    [
      'half surrogates as escapes',
      '["\\uD83D","\\ude00\\ud83d","a\\udfff"]',
      '["\\ud83d","\\ude00\\ud83d","a\\udfff"]',
    ],
    ['invisible characters as they are', '["\u200b\u2028\u007f"]', '["\u200b\u2028\u007f"]'],
    [
      'each number as it was written',
      '[1,1.0,1e0,1E0,-0,0,9007199254740993,1e400,10000000000000000000000]',
      '[1,1.0,1e0,1E0,-0,0,9007199254740993,1e400,10000000000000000000000]',
    ],
    ['text of JSON in a string', '{"a":"{\\"b\\" : [1, 2]}"}', '{"a":"{\\"b\\" : [1, 2]}"}'],
    [
      'names of an object in JavaScript like any other',
      '{"toJSON":1,"__proto__":{"x":1},"constructor":null}',
      '{"__proto__":{"x":1},"constructor":null,"toJSON":1}',
    ],
    ['a value that is no object', ' null ', 'null'],
  ])('has %s', (_what, raw, text) => {
    const expected = { text, sizeBytes: Buffer.byteLength(text) };
    expect(canonicalJson(raw, maxBytes)).toEqual(expected);
    expect(canonicalJson(Buffer.from(raw), maxBytes)).toEqual(expected);
    // A view of the middle of a line.
    const line = Buffer.from(`[${raw}]`);
    expect(canonicalJson(line.subarray(1, -1), maxBytes)).toEqual(expected);
  });

  it('is the same for every way to write a value, and can be read back', () => {
    checkProperty(
      fc.property(anyArguments, seed, seed, (model, one, other) => {
        const raw = writeModel(model, seededRandom(one));
        const { text, sizeBytes } = canonicalJson(raw, maxBytes);
        expect(textOf(writeModel(model, seededRandom(other)))).toBe(text);
        expect(textOf(Buffer.from(raw))).toBe(text);
        expect(textOf(text ?? '')).toBe(text);
        expect(JSON.parse(text ?? '')).toEqual(JSON.parse(raw));
        expect(sizeBytes).toBe(Buffer.byteLength(text ?? ''));
        expect(sizeBytes).toBeLessThanOrEqual(Buffer.byteLength(raw));
      }),
      { runs: 300 },
    );
  });

  it('is another one for every other value, key and text of a number', () => {
    let changes = 0;
    const runs = checkProperty(
      fc.property(anyArguments, seed, (model, chosen) => {
        const random = seededRandom(chosen);
        const changed = changeModel(model, random);
        const isSame = isDeepStrictEqual(comparable(model), comparable(changed));
        changes += isSame ? 0 : 1;
        expect(textOf(writeModel(model, random)) === textOf(writeModel(changed, random))).toBe(isSame);
      }),
      { runs: 1000 },
    );
    expect(changes).toBeGreaterThan(runs / 2);
  });

  it('is the same for a line that was parsed at once and in turns, whatever an agent sends', async () => {
    const linesSeed = announcedSeed('lines in canonical form', 'FUZZ_SEED');
    const generators = (['2025-11-25', '2026-07-28'] as const).map(
      (protocolVersion) => new LineGenerator(seededRandom(linesSeed), protocolVersion),
    );
    const count = runsInMode(1000);
    const generated = generators.flatMap((generator) =>
      Array.from({ length: count }, () => generator.line()),
    );
    let compared = 0;
    for (const line of [...generated, ...validLines.map(({ bytes }) => bytes)]) {
      const atOnce = parseLine(line);
      if (atOnce.ok && atOnce.rawArguments !== null) {
        const inTurns = await parseLineInTurns(line, false);
        const text = textOf(atOnce.rawArguments);
        expect(inTurns.ok && inTurns.rawArguments !== null && textOf(inTurns.rawArguments)).toBe(text);
        expect(JSON.parse(text ?? '')).toEqual(JSON.parse(String(atOnce.rawArguments)));
        compared += 1;
      }
    }
    expect(compared).toBeGreaterThan(count / 5);
  });

  it('is found at the greatest depth that the gate lets pass', () => {
    const nested = `{"b":${'['.repeat(60)}1${']'.repeat(60)}, "a":0}`;
    const parsed = parseLine(call(nested));
    expect(parsed).toMatchObject({ ok: true, rawArguments: nested });
    expect(parseLine(call(`{"b":${'['.repeat(62)}${']'.repeat(62)}}`))).toMatchObject({ ok: false });
    expect(textOf(nested)).toBe(`{"a":0,"b":${'['.repeat(60)}1${']'.repeat(60)}}`);
  });
});

describe('arguments that are too large', () => {
  const ofSize = (bytes: number, filler = 'a') => {
    const frame = Buffer.byteLength('{"a":""}');
    return `{"a":"${filler.repeat((bytes - frame) / Buffer.byteLength(filler))}"}`;
  };

  it.each(['a', '\u00e9', '\ud83d\ude00'])('begin one byte after the limit, in UTF-8: %s', (filler) => {
    const fits = ofSize(maxBytes, filler);
    expect(canonicalJson(fits, maxBytes)).toEqual({ text: fits, sizeBytes: maxBytes });
    const larger = fits.replace('"}', '."}');
    expect(canonicalJson(larger, maxBytes)).toEqual(tooLarge(larger));
    expect(canonicalJson(Buffer.from(larger), maxBytes)).toEqual(tooLarge(larger));
  });

  it.each([
    [
      'members',
      (count: number) => `{${Array.from({ length: count }, (_, at) => `"${at + 1000}":0`).join()}}`,
    ],
    ['items', (count: number) => `[${Array(count).fill('{}').join()}]`],
  ])('are counted with every comma, colon and bracket: %s', (_what, of) => {
    for (let count = 1; count < 40; count += 1) {
      const raw = of(count);
      expect(canonicalJson(raw, raw.length)).toEqual({ text: raw, sizeBytes: raw.length });
      expect(canonicalJson(raw, raw.length - 1)).toEqual(tooLarge(raw));
    }
  });

  it('are not those that are long only as they were written', () => {
    const fits = ofSize(maxBytes);
    const escaped = fits.replace(/(?<=:").*(?=")/, (text) => '\\u0061'.repeat(text.length));
    expect(textOf(escaped)).toBe(fits);
    expect(textOf(fits.replace(':', ': '.padEnd(maxBytes)))).toBe(fits);
    const small = `{"a":${' '.repeat(maxBytes * 6)}1}`;
    expect(canonicalJson(small, maxBytes)).toEqual(tooLarge(small));
  });

  it('are read no further than to the limit', () => {
    const garbage = ']"\\x';
    const longer = `${'['.repeat(maxBytes * 6)}${garbage}`;
    expect(canonicalJson(longer, maxBytes)).toEqual(tooLarge(longer));
    const numbers = `[${'0,'.repeat(maxBytes)}${garbage}`;
    expect(canonicalJson(numbers, maxBytes)).toEqual(tooLarge(numbers));
    const megabyte = `{"a":"${'\\u0061'.repeat(175_000)}"}`;
    expect(canonicalJson(Buffer.from(megabyte), maxBytes)).toEqual(tooLarge(megabyte));
  });

  it('share nothing with others of the same beginning', () => {
    const prefix = `{"path":"/notes/today","text":"${'harmless '.repeat(1700)}`;
    const [one, other] = ['."}', '; rm -rf /"}'].map((tail) => textOf(prefix + tail));
    expect(one).not.toBe(other);
    expect([typeof one, typeof other]).toEqual(['string', 'string']);
    expect(textOf(`${prefix}${'harmless '.repeat(1700)}; rm -rf /"}`)).toBeNull();
  });
});
