/** Lines of servers beyond a mebibyte: what they may hold, and for how long. */
import { afterEach, expect, it, jest } from '@jest/globals';
import { createByteBudget } from '../../../../lib/limits/byte-budget.ts';
import { type Line, largeLineBytes, splitLines } from '../../../../sidecar/json-rpc/lines.ts';

const maxBytes = 4 * largeLineBytes;
const answer = (id: number, bytes: number) =>
  Buffer.from(`{"result":{"content":"${'x'.repeat(bytes)}"},"jsonrpc":"2.0","id":${id}}\n`);

afterEach(() => {
  jest.useRealTimers();
});

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let from = 0; from < bytes.length; from += size) {
    yield bytes.subarray(from, from + size);
  }
}

async function linesOf(bytes: Buffer, size: number, budget = createByteBudget(maxBytes)): Promise<Line[]> {
  const lines: Line[] = [];
  for await (const some of splitLines(inPieces(bytes, size), maxBytes, budget)) {
    lines.push(...some);
  }
  return lines;
}

it.each([1000, 65_536, 10_000_000])('arrive whole, in pieces of %s bytes', async (size) => {
  const [first, second] = [answer(1, 2 * largeLineBytes), answer(2, 10)];
  const lines = await linesOf(Buffer.concat([first, second]), size);
  expect(
    lines.map((line) =>
      line.loss !== null ? null : line.framed.equals(first) || line.framed.equals(second),
    ),
  ).toEqual([true, true]);
});

it.each([1000, 65_536, 100_000_000])(
  'beyond the limit are read past, and tell their id, in pieces of %s bytes',
  async (size) => {
    const bytes = Buffer.concat([answer(1, 2 * maxBytes), answer(2, 10)]);
    const [past, next] = await linesOf(bytes, size);
    expect(past?.loss === 'too_large' && past.scan.ids).toEqual([1]);
    expect(next?.loss).toBeNull();
  },
);

it('hold their share until they were handled, so that all servers of a session together stay within it', async () => {
  const budget = createByteBudget(maxBytes);
  const bytes = answer(1, 2 * largeLineBytes);
  const one = splitLines(inPieces(bytes, 65_536), maxBytes, budget);
  const other = splitLines(inPieces(bytes, 65_536), maxBytes, budget);
  const first = await one.next();
  expect(budget.tryTake(1)).toBe(false);
  let isSecondThere = false;
  const second = other.next().then((taken) => {
    isSecondThere = true;
    return taken;
  });
  await turns();
  expect(isSecondThere).toBe(false);
  first.value?.[0]?.release?.();
  (await second).value?.[0]?.release?.();
  expect(budget.tryTake(maxBytes)).toBe(true);
});

it('give their share back when their connection ends in the middle of one', async () => {
  const budget = createByteBudget(maxBytes);
  const cut = answer(1, 2 * largeLineBytes).subarray(0, -100);
  expect(await linesOf(cut, 65_536, budget)).toEqual([]);
  expect(budget.tryTake(maxBytes)).toBe(true);
});

it('that come byte by byte cost no more than their bytes', async () => {
  const bytes = answer(1, 2 * largeLineBytes);
  const begunMs = performance.now();
  await linesOf(bytes, 65_536);
  const atOnceMs = performance.now() - begunMs;
  const againMs = performance.now();
  await linesOf(bytes, 16);
  // To join the pieces again and again would take thousands of times as long.
  expect(performance.now() - againMs).toBeLessThan(200 * atOnceMs + 5000);
});

it('without memory in time are read past, tell their id, and why', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask', 'performance'] });
  const budget = createByteBudget(maxBytes);
  budget.tryTake(maxBytes);
  const lines = linesOf(answer(1, 2 * largeLineBytes), 65_536, budget);
  await turns();
  jest.advanceTimersByTime(60_000);
  expect(await lines).toMatchObject([{ loss: 'no_memory', scan: { ids: [1] } }]);
});

it('that do not end in time are read past, tell why, and give their share back at once', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask', 'performance'] });
  const budget = createByteBudget(maxBytes);
  const bytes = answer(1, 2 * largeLineBytes);
  let goOn = () => {};
  async function* stalled(): AsyncGenerator<Buffer> {
    yield* inPieces(bytes.subarray(0, -100), 65_536);
    await new Promise<void>((resolve) => {
      goOn = resolve;
    });
    yield bytes.subarray(-100);
  }
  const next = splitLines(stalled(), maxBytes, budget).next();
  await turns();
  expect(budget.tryTake(1)).toBe(false);
  jest.advanceTimersByTime(60_000);
  expect(budget.tryTake(maxBytes)).toBe(true);
  goOn();
  expect((await next).value).toMatchObject([{ loss: 'too_slow', scan: { ids: [1] } }]);
});

/** Everything that needs no time is done. */
async function turns(): Promise<void> {
  for (let left = 100; left > 0; left -= 1) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}
