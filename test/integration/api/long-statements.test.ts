/** A slow statement is stopped and reported, so that it does not hold a connection that others wait for. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import * as z from 'zod';
import { anySignedIn } from '../../../api/policies/access.ts';
import { defineRoute } from '../../../api/route.ts';
import { hasSqlState, openDatabase, sqlState } from '../../../store/database.ts';
import { startTestApi, type TestApi } from '../../support/api.ts';

const tooLong = 'select pg_sleep(600)';
let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({}, (_db, config) => {
    const db = openDatabase(config.DATABASE_URL, {
      poolSize: 1,
      statementTimeoutMs: 1000,
    });
    return [
      defineRoute({
        method: 'get',
        path: '/test/slow',
        summary: 'A statement without end',
        scope: 'user',
        access: anySignedIn,
        response: z.strictObject({}),
        async handler() {
          try {
            await db.raw(tooLong);
          } finally {
            await db.destroy();
          }
          return {};
        },
      }),
    ];
  });
});
afterAll(() => api.stop());

it('fails after the timeout of its pool, on each connection, and leaves it usable', async () => {
  const db = openDatabase(api.config.DATABASE_URL, { poolSize: 2, statementTimeoutMs: 1000 });
  try {
    const errors = await Promise.all([1, 2, 3].map(() => db.raw(tooLong).catch((error: unknown) => error)));
    expect(errors.map((error) => hasSqlState(error, sqlState.queryCanceled))).toEqual([true, true, true]);
    expect(await db.raw('select 1 as one')).toMatchObject({ rows: [{ one: 1 }] });
    const { rows } = await api.db.raw('show statement_timeout');
    expect(rows).toEqual([{ statement_timeout: '0' }]);
  } finally {
    await db.destroy();
  }
});

it('is answered with 503, a sentence and when to retry', async () => {
  const person = await api.person();
  const answer = await person.send('GET', '/api/test/slow');
  expect(answer).toMatchObject({
    status: 503,
    body: {
      error: {
        code: 'unavailable',
        message: 'The database took too long for this request, so it was stopped; try again later',
      },
    },
  });
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(api.logged()).toContain(sqlState.queryCanceled);
});
