/** What the statements of one owner leave of a pool to others. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Knex } from 'knex';
import { onBehalfOf } from '../../../store/connection-shares.ts';
import { NoConnectionError, onConnection, openDatabase } from '../../../store/database.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

let database: TestDatabase;
let db: Knex;
beforeAll(async () => {
  database = await createTestDatabase();
  db = openDatabase(database.url, { poolSize: 3, acquireTimeoutMs: 300 });
});
afterAll(async () => {
  await db.destroy();
  await database.drop();
});

const one = { key: 'one', connections: 2 };
const other = { key: 'other', connections: 2 };
const reads = {
  'a statement': () => db.raw('select 1'),
  'a transaction': () => db.transaction((trx) => trx.raw('select 1')),
  'a connection': () => onConnection(db, (connection) => connection.query('select 1')),
};

it.each(Object.entries(reads))(
  'an owner with a full share gets no connection for %s, and others do',
  async (_what, read) => {
    const held = await onBehalfOf(one, () => Promise.all([db.transaction(), db.transaction()]));
    await expect(onBehalfOf(one, async () => read())).rejects.toBeInstanceOf(NoConnectionError);
    await onBehalfOf(other, async () => read());
    await onBehalfOf(null, async () => read());
    await read();
    await Promise.all(held.map((trx) => trx.rollback()));
    await onBehalfOf(one, async () => read());
  },
);

it('those that wait have their turn in their order, and each connection is given back once', async () => {
  const held = await onBehalfOf(one, () => Promise.all([db.transaction(), db.transaction()]));
  const order: number[] = [];
  const waiting = [1, 2, 3].map((each) =>
    onBehalfOf(one, async () => {
      await db.raw('select 1');
      order.push(each);
    }),
  );
  await held[0]?.rollback();
  await Promise.all(waiting);
  expect(order).toEqual([1, 2, 3]);
  await held[1]?.rollback();
  const again = await onBehalfOf(one, () => Promise.all([db.transaction(), db.transaction()]));
  await expect(onBehalfOf(one, async () => db.raw('select 1'))).rejects.toBeInstanceOf(NoConnectionError);
  await Promise.all(again.map((trx) => trx.rollback()));
});

it('a statement that fails gives its connection back', async () => {
  for (const _time of [1, 2, 3]) {
    await expect(onBehalfOf(one, async () => db.raw('select nothing'))).rejects.toThrow();
    await expect(onBehalfOf(one, () => db.transaction((trx) => trx.raw('select nothing')))).rejects.toThrow();
  }
  await onBehalfOf(one, async () => db.raw('select 1'));
});

it('a pool that ends refuses what comes late, which would wait for a connection that nobody gives it', async () => {
  const ending = openDatabase(database.url, { poolSize: 1, acquireTimeoutMs: 20_000 });
  await ending.raw('select 1');
  const ended = ending.destroy();
  // By now its connection is being closed, and who waited before has been refused.
  await new Promise(setImmediate);
  const late = ending.raw('select 1');
  await expect(late).rejects.toThrow('the pool is ended');
  await expect(late).rejects.toBeInstanceOf(NoConnectionError);
  await ended;
});
