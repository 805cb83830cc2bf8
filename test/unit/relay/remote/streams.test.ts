import { PassThrough, Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { LineOutput, readLines } from '../../../../lib/timing/lines.ts';
import { defaultBridgeLimits } from '../../../../relay/remote/limits.ts';
import { readEvents, type StreamEvent } from '../../../../relay/remote/read-events.ts';
import { StreamPosition } from '../../../../relay/remote/stream-position.ts';
import { checkAsyncProperty } from '../../../support/property.ts';

/** The bytes in pieces of one length. */
function* piecesOf(bytes: Buffer, length: number): Generator<Buffer> {
  for (let from = 0; from < bytes.length; from += length) {
    yield bytes.subarray(from, from + length);
  }
}

async function allOf<Value>(values: AsyncIterable<Value>): Promise<Value[]> {
  const all: Value[] = [];
  for await (const value of values) {
    all.push(value);
  }
  return all;
}

describe('lines', () => {
  const read = async (text: string, piece: number, maxBytes = 1000) =>
    (await allOf(readLines(Readable.from(piecesOf(Buffer.from(text), piece)), maxBytes))).map(
      (line) => line?.toString() ?? null,
    );

  it('are the same however they arrive', async () => {
    const line = fc.string({ unit: 'grapheme' }).filter((text) => !/[\n\r]/.test(text) && text.trim() !== '');
    await checkAsyncProperty(
      fc.asyncProperty(fc.array(line), fc.integer({ min: 1, max: 9 }), async (lines, piece) => {
        expect(await read(lines.map((each) => `${each}\n`).join(''), piece)).toEqual(lines);
      }),
    );
  });

  it.each([1, 3, 100])(
    'that are blank, unfinished or too long are told apart, in pieces of %i',
    async (piece) => {
      expect(await read('a\n\n \r\nb\u2028c\n123456789\nd\nrest', piece, 8)).toEqual([
        'a',
        'b\u2028c',
        null,
        'd',
      ]);
    },
  );
});

describe('the output', () => {
  it('has room again when the other side reads or is gone, and is not waited for at the end', async () => {
    const ways: ((stream: PassThrough, output: LineOutput) => void)[] = [
      (stream) => stream.resume(),
      (stream) => stream.destroy(),
      (_stream, output) => output.stopWaiting(),
    ];
    for (const free of ways) {
      const stream = new PassThrough({ highWaterMark: 10 });
      const output = new LineOutput(stream);
      await output.hasRoom();
      output.write('x'.repeat(20));
      let count = 0;
      const waiting = [1, 2, 3].map(() => output.hasRoom().then(() => (count += 1)));
      await new Promise(setImmediate);
      expect(count).toBe(0);
      free(stream, output);
      await Promise.all(waiting);
      output.write('after');
    }
  });
});

describe('events', () => {
  const read = (bytes: Buffer, piece: number, maxBytes = 100) =>
    allOf(readEvents(Readable.from(piecesOf(bytes, piece)), maxBytes, 'x.test'));
  const event = (data: string, id: string | null = null, type = ''): StreamEvent => ({
    kind: 'event',
    id,
    type,
    data,
  });

  it.each([1, 2, 1000])('are read in pieces of %i', async (piece) => {
    const text =
      '\ufeffid: 1\ndata:\n\n: comment\nretry: 7\nevent: e\r\ndata: ä\r\ndata: b\r\n\r\ndata: 😀\n\ndata: rest\n';
    expect(await read(Buffer.from(text), piece)).toEqual([
      event('', '1'),
      { kind: 'retry', delayMs: 7 },
      event('ä\nb', null, 'e'),
      event('😀'),
    ]);
  });

  it.each([1, 2, 3, 1000])(
    'are read at once from lines that end with CR alone or CR LF, in pieces of %i',
    async (piece) => {
      expect(await read(Buffer.from('id: 1\rdata: a\rdata: b\r\rdata: c\r\n\r\ndata: d\r\r'), piece)).toEqual(
        [event('a\nb', '1'), event('c'), event('d')],
      );
    },
  );

  it.each([
    ['a long one', `data: ${'x'.repeat(101)}\n\n`, /x.test sent a message that is larger than 100 bytes/],
    ['one of few characters and many bytes', `data: ${'😀'.repeat(26)}\n\n`, /larger than 100 bytes/],
    ['one that does not end', `data: ${'x'.repeat(40_000)}`, /larger than 100 bytes/],
    ['one of many lines', 'data:\n'.repeat(40_000), /larger than 100 bytes/],
  ])('end with %s', async (_what, text, message) => {
    await expect(read(Buffer.from(text), 1000)).rejects.toThrow(message);
  });

  it('before a bad one are read', async () => {
    const seen: StreamEvent[] = [];
    const bytes = Buffer.concat([Buffer.from('data: a\n\n'), Buffer.from([0x64, 0xff])]);
    const reading = (async () => {
      for await (const each of readEvents(Readable.from(piecesOf(bytes, 9)), 100, 'x.test')) {
        seen.push(each);
      }
    })();
    await expect(reading).rejects.toThrow('x.test sent text that is not UTF-8');
    expect(seen).toEqual([event('a')]);
  });
});

describe('the position of a stream', () => {
  const limits = { ...defaultBridgeLimits, firstReconnectMs: 10, lastReconnectMs: 35 };

  it('waits longer each time, until a message comes', () => {
    const own = new StreamPosition(limits);
    const delays = () => [own.nextDelayMs(), own.nextDelayMs(), own.nextDelayMs(), own.nextDelayMs()];
    expect(delays()).toEqual([0, 10, 20, 35]);
    own.succeeded();
    expect(delays()).toEqual([10, 20, 35, 35]);
  });

  it('waits as long as the server asks, within reason', () => {
    const position = new StreamPosition(limits);
    position.passed('1');
    position.ask(500);
    expect(position.nextDelayMs()).toBe(500);
    position.ask(10 ** 9);
    expect(position.nextDelayMs()).toBe(60_000);
    position.ask(0);
    expect(position.nextDelayMs()).toBe(35);
  });

  it.each([
    ['a-1', 'a-1'],
    ['ä', '\u00c3\u00a4'],
    ['', null],
    ['a\tb', null],
    ['a\u0000', null],
    ['x'.repeat(4097), null],
  ])('after %j is %j', (id, expected) => {
    const position = new StreamPosition(limits);
    position.passed('before');
    position.passed(id);
    expect(position.lastEventId).toBe(expected);
  });
});
