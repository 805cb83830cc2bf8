import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { type SharedReadOptions, shareReads } from '../../../api/event-stream/share-reads.ts';

interface Answer {
  key: string;
  statement: number;
}

/** Notes the keys of each statement. `held` statements go on when `release` is called. */
function counted(more: Partial<SharedReadOptions<string, Answer>> = {}) {
  const statements: (readonly string[])[] = [];
  const held: (() => void)[] = [];
  const answer = (keys: readonly string[]) => {
    const statement = statements.push(keys);
    return keys.map((key) => ({ key, statement }));
  };
  const options = {
    identify: (key: string) => key,
    mostKeys: 500,
    read: async (keys: readonly string[]) => answer(keys),
  };
  const hold: typeof options.read = async (keys) => {
    const answers = answer(keys);
    await new Promise<void>((resolve) => held.push(resolve));
    return answers;
  };
  return { statements, held, options: { ...options, ...more }, hold };
}
const failing = (error: unknown) => (error instanceof Error ? error.message : error);

describe('reads that are asked for together', () => {
  it('are one statement with each key once, and everybody gets what they asked for, in order', async () => {
    const { statements, options } = counted();
    const read = shareReads(options);
    const answers = await Promise.all([read(['a', 'b']), read(['b', 'c']), read(['a']), read([])]);
    expect(statements).toEqual([['a', 'b', 'c']]);
    expect(answers.map((each) => each.map(({ key }) => key))).toEqual([['a', 'b'], ['b', 'c'], ['a'], []]);
    // The very same object: what was read is kept in memory once.
    expect(answers[0]?.[1]).toBe(answers[1]?.[0]);
  });

  it('are read in parts when they are many', async () => {
    const { statements, options } = counted();
    const read = shareReads(options);
    await Promise.all(Array.from({ length: 1000 }, (_, at) => read([`${at % 900}`])));
    expect(statements.map((keys) => keys.length)).toEqual([500, 400]);
  });

  it('are never answered by a statement that began before the question', async () => {
    const { options, hold, held } = counted();
    const read = shareReads({ ...options, read: hold });
    const first = read(['a']);
    await nextTurn();
    await nextTurn();
    const second = read(['a']);
    await nextTurn();
    await nextTurn();
    for (const release of held) {
      release();
    }
    expect((await first)[0]?.statement).toBe(1);
    expect((await second)[0]?.statement).toBe(2);
  });

  it('wait for those that run, and then go together: two statements run at a time', async () => {
    const { statements, options, hold, held } = counted();
    const read = shareReads({ ...options, read: hold });
    const asked: Promise<unknown>[] = [];
    for (let count = 0; count < 20; count += 1) {
      asked.push(read([`${count}`]));
      await nextTurn();
      await nextTurn();
    }
    expect(statements).toEqual([['0'], ['1']]);
    held.shift()?.();
    while (statements.length < 3) {
      await nextTurn();
    }
    expect(statements[2]).toHaveLength(18);
    for (const release of held) {
      release();
    }
    await Promise.all(asked);
  });
});

describe('a statement that fails', () => {
  it('fails those who asked with it, and nobody who asks later', async () => {
    let fails = true;
    const { options } = counted();
    const read = shareReads<string, Answer>({
      ...options,
      read: (keys) => (fails ? Promise.reject(new Error('no connection')) : options.read(keys)),
    });
    const together = await Promise.all(['a', 'b', 'c', 'd'].map((key) => read([key]).catch(failing)));
    expect(together).toEqual(Array.from({ length: 4 }, () => 'no connection'));
    fails = false;
    expect(await read(['a'])).toMatchObject([{ key: 'a' }]);
  });

  it('for one key fails those who asked for this key only', async () => {
    const { options } = counted();
    const read = shareReads<string, Answer>({
      ...options,
      read: async (keys) =>
        keys.map((key) => (key === 'bad' ? new Error('unreadable') : { key, statement: 1 })),
    });
    expect(await Promise.all([read(['a']), read(['a', 'bad']).catch(failing)])).toEqual([
      [{ key: 'a', statement: 1 }],
      'unreadable',
    ]);
  });

  it('is given up when it hangs, and others are not stopped by it meanwhile', async () => {
    let [hangs, begun] = [true, 0];
    const { options } = counted();
    const read = shareReads<string, Answer>({
      ...options,
      limitMs: 200,
      read: (keys) => {
        begun += 1;
        return hangs ? new Promise(() => undefined) : options.read(keys);
      },
    });
    const hung = read(['a']).catch(failing);
    while (begun === 0) {
      await nextTurn();
    }
    hangs = false;
    expect(await read(['b'])).toMatchObject([{ key: 'b' }]);
    expect(await hung).toMatch(/did not end in time/);
  });
});
