import { Writable } from 'node:stream';
import { setImmediate as nextRound } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { LineWriter } from '../../../../sidecar/json-rpc/lines.ts';

const line = (text: string) => Buffer.from(`${text}\n`);

/** One side of a connection, which takes what was written when it is asked to. */
function open(highWaterMark = 1000) {
  const waiting: (() => void)[] = [];
  const written: string[] = [];
  let lost = 0;
  const stream = new Writable({
    highWaterMark,
    write(chunk, _encoding, done) {
      written.push(String(chunk));
      waiting.push(done);
    },
  });
  const writer = new LineWriter(stream, async () => {
    await nextRound();
    lost += 1;
  });
  const take = async () => {
    waiting.shift()?.();
    await nextRound();
  };
  return { stream, writer, written, take, lost: () => lost };
}

/** Whether a promise is settled after a round of the event loop. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  void promise.then(() => {
    settled = true;
  });
  await nextRound();
  return settled;
}

describe('a writer of lines', () => {
  it('says when the other side has taken everything', async () => {
    const { writer, take, lost } = open();
    expect(writer.isFlushed).toBe(true);
    expect(await isSettled(writer.whenFlushed())).toBe(true);
    await writer.writeNow(line('a'));
    expect(writer.isFlushed).toBe(false);
    const flushed = writer.whenFlushed();
    expect(await isSettled(flushed)).toBe(false);
    await take();
    await take();
    expect(await isSettled(flushed)).toBe(true);
    expect(writer.isFlushed).toBe(true);
    expect(lost()).toBe(0);
  });

  it('writes at once, or with the other lines of the same turn', async () => {
    const { writer, written, take } = open();
    await writer.writeNow(line('a'));
    expect(written).toEqual(['a\n']);
    await take();
    await writer.write(line('b'));
    expect(written).toEqual(['a\n']);
    await nextRound();
    expect(written).toEqual(['a\n', 'b\n']);
  });

  it('waits for a side that takes no more, and leaves no listener', async () => {
    const { stream, writer, take } = open(1);
    const written = writer.write(line('a'));
    expect(await isSettled(written)).toBe(false);
    await take();
    expect(await isSettled(written)).toBe(true);
    expect([stream.listenerCount('drain'), stream.listenerCount('close')]).toEqual([0, 0]);
  });

  it('reports a side that is closed, before or while it waits, and waits for what follows from it', async () => {
    const { stream, writer, lost } = open(1);
    const writes = [writer.write(line('a')), writer.whenFlushed()];
    await nextRound();
    stream.destroy();
    await Promise.all(writes);
    expect(lost()).toBe(2);
    await writer.write(line('b'));
    await writer.writeNow(line('c'));
    await writer.whenFlushed();
    expect(lost()).toBe(5);
  });
});
