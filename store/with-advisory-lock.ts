import * as z from 'zod';
import { type Db, onConnection } from './database.ts';
import { onlyRow, readRows } from './read-rows.ts';

const answer = z.object({ answer: z.boolean() });

/**
 * Runs `work` unless another process is running work of this name; says whether it ran. The work
 * uses other connections of the pool. What the lock holds is no transaction: an index that the work
 * builds would wait for its end.
 */
export async function withAdvisoryLock(db: Db, name: string, work: () => Promise<void>): Promise<boolean> {
  return onConnection(db, async (connection) => {
    const ask = async (lock: 'pg_try_advisory_lock' | 'pg_advisory_unlock') => {
      const statement = connection.query(`select ${lock}(hashtextextended($1, 0)) as answer`, [name]);
      return onlyRow(await readRows(statement, answer)).answer;
    };
    const isOurs = await ask('pg_try_advisory_lock');
    if (isOurs) {
      try {
        await work();
      } finally {
        await ask('pg_advisory_unlock');
      }
    }
    return isOurs;
  });
}
