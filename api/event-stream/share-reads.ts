/**
 * Reads that many ask for at the same time, in one statement. Nothing is kept: an answer goes to those who
 * asked before it was read.
 */
import DataLoader from 'dataloader';
import { abandonAfter } from '../../lib/timing/time-limit.ts';
import { onBehalfOf } from '../../store/connection-shares.ts';

export interface SharedReadOptions<Key, Value> {
  /** The same text for keys that have the same answer. */
  identify(key: Key): string;
  /** Keys of one statement; what is more is read in further ones, one after the other. */
  mostKeys: number;
  /** One value for each key, in order; an error is the answer to that key only. */
  read(keys: readonly Key[]): Promise<readonly (Value | Error)[]>;
  /** How long one statement may take, with its wait for a connection. */
  limitMs?: number;
}

/** With two, one that hangs on a lost connection does not stop the other questions. */
const mostRunning = 2;
/** Longer than any statement may take (bin/api.ts): what ends here has lost its connection. */
const defaultLimitMs = 20_000;

/**
 * Returns a function that reads the values of its keys, in order, together with everything that is asked in
 * the same turn of the event loop, or while two batches run: so a statement begins after each question that
 * it answers, and the busier the database is, the more questions share one. Throws what the statement throws:
 * those who asked with it fail, and nobody who asks later.
 */
export function shareReads<Key, Value extends object | null>(
  options: SharedReadOptions<Key, Value>,
): (keys: readonly Key[]) => Promise<readonly Value[]> {
  let running = 0;
  let waiting: (() => void) | null = null;
  const runNext = () => {
    if (running < mostRunning && waiting !== null) {
      const run = waiting;
      waiting = null;
      running += 1;
      run();
    }
  };
  const loader = new DataLoader<readonly Key[], readonly Value[]>(
    (questions) =>
      answerAll(questions, options).finally(() => {
        running -= 1;
        runNext();
      }),
    {
      cache: false,
      batchScheduleFn(run) {
        waiting = run;
        setImmediate(runNext);
      },
    },
  );
  return async (keys) => (keys.length === 0 ? [] : loader.load(keys));
}

async function answerAll<Key, Value extends object | null>(
  questions: readonly (readonly Key[])[],
  { identify, mostKeys, read, limitMs = defaultLimitMs }: SharedReadOptions<Key, Value>,
): Promise<(readonly Value[] | Error)[]> {
  const distinct = new Map<string, Key>();
  for (const key of questions.flat()) {
    distinct.set(identify(key), key);
  }
  const entries = [...distinct];
  const answers = new Map<string, Value | Error>();
  for (let from = 0; from < entries.length; from += mostKeys) {
    const part = entries.slice(from, from + mostKeys);
    // It answers to several, of whom the first may be of a workspace that holds its share.
    const reading = onBehalfOf(null, () => read(part.map(([, key]) => key)));
    for (const [at, value] of (await abandonAfter(limitMs, reading, failLate)).entries()) {
      answers.set(part[at]?.[0] ?? '', value);
    }
  }
  return questions.map((keys) => answerOf(keys.map((key) => answers.get(identify(key)))));
}

/** A question of which one key fails fails. */
function answerOf<Value>(values: readonly (Value | Error | undefined)[]): readonly Value[] | Error {
  const found: Value[] = [];
  for (const value of values) {
    if (value instanceof Error) {
      return value;
    }
    if (value === undefined) {
      return new Error('a shared read has no answer to one of its keys');
    }
    found.push(value);
  }
  return found;
}

function failLate(): never {
  throw new Error('a read of the event streams did not end in time');
}
