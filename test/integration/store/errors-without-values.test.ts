/**
 * Database errors go to logs and to Temporal: they say what is wrong, but contain no
 * values of statements or rows.
 */
import { randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Db, hasSqlState, inTransaction, prepared, sqlState } from '../../../store/database.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const secret = `s3cret-${randomUUID()}`;
const row = { id: randomUUID(), issuer: 'i', subject: secret, email: 'e', name: 'n' };
const failing: Record<string, (db: Db) => PromiseLike<unknown>> = {
  'a row that is there already': async (db) => {
    await db('users').insert(row).onConflict('id').ignore();
    await db('users').insert({ ...row, id: randomUUID() });
  },
  'a column that must not be empty': (db) =>
    db('users').insert({ ...row, id: randomUUID(), name: db.raw('null') }),
  'a statement with bindings': (db) =>
    db.raw('select * from users where subject = ? and no_such_column = ?', [secret, 1]),
  'a transaction': (db) =>
    inTransaction(db, async (trx) => trx('users').insert({ ...row, email: trx.raw('null') })),
  'a prepared statement': (db) =>
    prepared(db, 'failing', 'insert into users (issuer, subject) values ($1, $2)', ['i', secret]),
};

describe('an error of the database', () => {
  it.each(Object.entries(failing))('from %s holds no value', async (_what, run) => {
    const error = await Promise.resolve(run(database.db)).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Error);
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(secret);
  });

  it('still says what it was and where', async () => {
    const error = await Promise.resolve(failing['a column that must not be empty']?.(database.db)).catch(
      (thrown: unknown) => thrown,
    );
    expect(hasSqlState(error, '23502')).toBe(true);
    expect(hasSqlState(error, sqlState.uniqueViolation)).toBe(false);
    expect(error).toMatchObject({ message: expect.stringContaining('insert into "users"'), table: 'users' });
  });
});
