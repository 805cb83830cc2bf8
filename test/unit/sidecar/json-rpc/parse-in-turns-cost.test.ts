/**
 * What a long line costs the event loop while it is parsed in turns. Left out of the mutation run,
 * whose programs are slower.
 */
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { parseLine, parseLineInTurns } from '../../../../sidecar/json-rpc/parse-line.ts';
import { bestRatio } from '../../../support/loop-hold.ts';
import { withTextOfArguments } from './arguments-as-text.ts';
import { withoutPayloads } from './without-payloads.ts';

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
  it.each(longLines.flatMap(([title, line]) => [true, false].map((keeps) => [title, keeps, line] as const)))(
    'does not block for long: %s, payloads kept: %s',
    async (_title, keepsPayloads, line) => {
      const parsed = parseLine(line);
      const expected = keepsPayloads ? parsed : withoutPayloads(parsed);
      // A matcher that shows differences would take minutes for a megabyte.
      const inTurns = await parseLineInTurns(line, keepsPayloads);
      expect(isDeepStrictEqual(withTextOfArguments(inTurns), expected)).toBe(true);
      const ratio = await bestRatio({
        subject: () => parseLineInTurns(line, keepsPayloads),
        control: () => parseLine(line),
        // What parses quickly at once (a single long string) needs no turns.
        below: 0.5,
        leastControlMs: 60,
      });
      expect(ratio).toBeLessThan(0.5);
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
