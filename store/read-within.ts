import { type Db, inSnapshot, type Transaction } from './database.ts';

/**
 * Reads on one snapshot of what agents stored. A statement that takes longer than `limitMs` fails with
 * `sqlState.queryCanceled`: what an agent asks for decides how much is read.
 */
export function readWithin<Result>(
  db: Db,
  limitMs: number,
  read: (trx: Transaction) => Promise<Result>,
): Promise<Result> {
  return inSnapshot(db, async (trx) => {
    // Compiling a recursive statement takes longer than running it.
    await trx.raw("select set_config('statement_timeout', ?, true), set_config('jit', 'off', true)", [
      String(limitMs),
    ]);
    return read(trx);
  });
}
