import { once } from 'node:events';
import { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import { writeLine } from '../../../../sidecar/json-rpc/lines.ts';

const stallMs = 60_000;

/** Accepts everything at once, and records what arrived together. */
function createSink() {
  const groups: string[] = [];
  const stream = new Writable({
    writev(chunks, done) {
      groups.push(chunks.map(({ chunk }) => chunk.toString()).join(''));
      done();
    },
  });
  return { stream, groups };
}

describe('writing lines', () => {
  it('sends lines of one turn together, in order, and later ones after them', async () => {
    const { stream, groups } = createSink();
    const writeInTurn = async (names: string[]) => {
      for (const name of names) {
        expect(await writeLine(stream, Buffer.from(`${name}\n`), stallMs)).toBe(true);
      }
    };
    await writeInTurn(['a', 'b', 'c']);
    expect(groups).toEqual([]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(groups).toEqual(['a\nb\nc\n']);
    await writeInTurn(['d']);
    await new Promise((resolve) => setImmediate(resolve));
    expect(groups).toEqual(['a\nb\nc\n', 'd\n']);
  });

  it('loses nothing when the stream is ended in the same turn', async () => {
    const { stream, groups } = createSink();
    const written = writeLine(stream, Buffer.from('last\n'), stallMs);
    stream.end();
    await once(stream, 'finish');
    expect(await written).toBe(true);
    expect(groups).toEqual(['last\n']);
  });

  it('waits until the peer accepts more', async () => {
    const waiting: (() => void)[] = [];
    const stream = new Writable({ highWaterMark: 4, write: (_chunk, _encoding, done) => waiting.push(done) });
    let settled: boolean | null = null;
    const written = writeLine(stream, Buffer.from('longer\n'), stallMs).then((result) => {
      settled = result;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(settled).toBeNull();
    waiting.shift()?.();
    await written;
    expect(settled).toBe(true);
    expect([stream.listenerCount('drain'), stream.listenerCount('close')]).toEqual([0, 0]);
  });

  it('gives up a stream that accepts nothing, that closes, or that is closed', async () => {
    const stalled = () => new Writable({ highWaterMark: 1, write: () => undefined });
    expect(await writeLine(stalled(), Buffer.from('x\n'), 1)).toBe(false);
    const closing = stalled();
    const written = writeLine(closing, Buffer.from('x\n'), stallMs);
    closing.destroy();
    expect(await written).toBe(false);
    expect(await writeLine(closing, Buffer.from('x\n'), stallMs)).toBe(false);
  });

  it('writes exactly the bytes of a line', async () => {
    const { stream, groups } = createSink();
    const line = `{"text":"${'é'.repeat(40_000)}"}`;
    await Promise.all([writeLine(stream, Buffer.from(`${line}\n`), stallMs), once(stream, 'drain')]);
    expect(await text(Readable.from(groups))).toBe(`${line}\n`);
  });
});
