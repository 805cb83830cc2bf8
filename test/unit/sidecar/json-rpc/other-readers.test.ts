/**
 * What the gate lets pass means the same to other parsers: Node's and Python's, and those
 * that break lines elsewhere.
 */
import { spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseLine } from '../../../../sidecar/json-rpc/parse-line.ts';
import { implementationDefinedLines } from '../../../corpus/json-rpc/implementation-defined.ts';
import { invalidMessages } from '../../../corpus/json-rpc/invalid-messages.ts';
import { invalidTexts } from '../../../corpus/json-rpc/invalid-texts.ts';
import { validLines } from '../../../corpus/json-rpc/valid.ts';
import { runsInMode, samplesOf } from '../../../support/property.ts';

const corpus = [...validLines, ...implementationDefinedLines, ...invalidTexts, ...invalidMessages]
  .map(({ bytes }) => bytes)
  .filter((bytes) => bytes.length < 10_000 && !bytes.includes('\n'));

/** A text or a number as bytes, since parsers serialize them differently. */
const hexOf = (text: string) => Buffer.from(text, 'utf16le').swap16().toString('hex');
const bitsOf = (value: number) => {
  const bits = Buffer.alloc(8);
  bits.writeDoubleBE(value);
  return bits.toString('hex');
};
function canonical(value: unknown): unknown {
  if (typeof value === 'string') {
    return `s${hexOf(value)}`;
  }
  if (typeof value === 'number') {
    return `n${bitsOf(value)}`;
  }
  if (Array.isArray(value)) {
    return value.map(canonical);
  }
  return typeof value === 'object' && value !== null
    ? {
        o: Object.entries(value)
          .map(([key, member]) => [hexOf(key), canonical(member)] as const)
          .toSorted(([a], [b]) => (a < b ? -1 : 1)),
      }
    : value;
}

const python = `
import json, struct, sys
def text(value):
    return value.encode('utf-16-be', 'surrogatepass').hex()
def canonical(value):
    if isinstance(value, str): return 's' + text(value)
    if isinstance(value, bool) or value is None: return value
    if isinstance(value, (int, float)): return 'n' + struct.pack('>d', value).hex()
    if isinstance(value, list): return [canonical(item) for item in value]
    return {'o': sorted([[text(key), canonical(item)] for key, item in value.items()])}
for line in sys.stdin.buffer.read().split(b'\\n')[:-1]:
    message = json.loads(line, parse_int=float)
    params = message.get('params') or {}
    parts = [message.get('method'), message.get('id'), params.get('name'), params.get('arguments')]
    print(json.dumps([canonical(part) for part in parts]))
`;

interface Read {
  method?: unknown;
  id?: unknown;
  params?: { name?: unknown; arguments?: unknown };
}
const partsIn = ({ method, id, params }: Read) =>
  [method, id, params?.name, params?.arguments].map((part) => canonical(part ?? null));

/** Valid lines, and the corpus with bytes taken out, put in, and exchanged between two lines. */
const mutated = fc
  .record({
    line: fc.constantFrom(...corpus),
    other: fc.constantFrom(...corpus),
    at: fc.nat(500),
    length: fc.nat(6),
    from: fc.nat(500),
    insert: fc.oneof(
      fc.constant(Buffer.alloc(0)),
      fc.constantFrom(
        ...['"', '\\', '{}', ',', '\\u0000', '\u2028', '1e400', '"id":1,', '\ud83d\ude00'].map((s) =>
          Buffer.from(s),
        ),
      ),
      fc.uint8Array({ maxLength: 3 }).map((bytes) => Buffer.from(bytes)),
    ),
  })
  .map(({ line, other, at, length, from, insert }) =>
    Buffer.concat([
      line.subarray(0, at),
      insert,
      other.subarray(from, from + length),
      line.subarray(at + length),
    ]),
  )
  .filter((line) => !line.includes('\n'));
const text = fc.string({ unit: 'binary', maxLength: 30 });
const honest = fc
  .tuple(
    fc.oneof(fc.maxSafeInteger(), fc.uuid()),
    text,
    fc.dictionary(text, fc.jsonValue({ stringUnit: 'binary' })),
  )
  .map(([id, name, args]) =>
    Buffer.from(
      JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } }),
    ),
  );

const passing = (lines: readonly Buffer[]) => lines.filter((line) => parseLine(line).ok);

const hasPython = spawnSync('python3', ['--version']).status === 0;

describe('a line that passes', () => {
  const count = runsInMode(2500);
  const generated = passing(samplesOf(fc.oneof(mutated, honest), count));
  const lines = [...passing(corpus), ...generated];

  it('is common enough in this sample', () => {
    expect(generated.length).toBeGreaterThan(count / 4);
  });

  /** The lines that two parsers interpret as different messages. */
  const disagreements = (
    first: (line: Buffer, index: number) => unknown,
    second: (line: Buffer) => unknown,
  ) =>
    lines
      .filter((line, index) => JSON.stringify(first(line, index)) !== JSON.stringify(second(line)))
      .map(String);
  const readByNode = (line: Buffer) => partsIn(JSON.parse(line.toString('utf8')) as Read);

  it('is the same message for the gate and for JSON.parse', () => {
    const readByGate = (line: Buffer) => {
      const parsed = parseLine(line);
      return parsed.ok && partsIn(parsed.message);
    };
    expect(disagreements(readByGate, readByNode)).toEqual([]);
  });

  (hasPython ? it : it.skip)('has the same method, id, tool and arguments for Python', () => {
    const input = Buffer.concat(lines.flatMap((line) => [line, Buffer.from('\n')]));
    const { stdout, stderr, status } = spawnSync('python3', ['-c', python], { input, maxBuffer: 1e9 });
    expect({ status, stderr: stderr.toString() }).toEqual({ status: 0, stderr: '' });
    const answers = stdout.toString().trim().split('\n');
    expect(answers.length).toBe(lines.length);
    expect(disagreements((_line, index) => JSON.parse(answers[index] ?? ''), readByNode)).toEqual([]);
  });

  it('is one message also for readers that split lines at other characters', async () => {
    const hidesMessage = (piece: string) => {
      try {
        const value: unknown = JSON.parse(piece);
        return typeof value === 'object' && value !== null;
      } catch {
        return false;
      }
    };
    const inner = '{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"write_file"}}';
    const breaks = ['\r', '\u0085', '\u2028', '\u2029', '\u000b', '\u000c', '\u001c', '\u001e'];
    const attempts = breaks.flatMap((stop) =>
      [`[${stop}${inner}${stop}]`, `"${stop}${inner}${stop}"`, JSON.stringify(stop + inner + stop)].map(
        (args) => Buffer.from(`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":${args}}}`),
      ),
    );
    const passed = [...lines, ...attempts.filter((line) => parseLine(line).ok)].filter((line) =>
      /[\u0085\u2028\u2029]/.test(line.toString('utf8')),
    );
    // The attempts written out above alone are three; generated lines add to them.
    expect(passed.length).toBeGreaterThanOrEqual(3);
    const hidden: string[][] = [];
    for (const line of passed) {
      const pieces = line.toString('utf8').split(/[^ -\u0084\u0086-\u2027\u202a-\uffff]/);
      const broken: string[] = [];
      for await (const piece of createInterface({ input: Readable.from([line]) })) {
        broken.push(piece);
      }
      hidden.push(...[pieces, broken].filter((read) => read.length > 1 && read.some(hidesMessage)));
    }
    expect(hidden).toEqual([]);
  });
});
