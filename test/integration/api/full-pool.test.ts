/**
 * A request that gets no connection to the database says so, and when to try again, whichever route it asks.
 */
import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { Knex } from 'knex';
import { pino } from 'pino';
import * as z from 'zod';
import { createApp } from '../../../api/app.ts';
import { healthRoutes } from '../../../api/health/routes.ts';
import { anybody } from '../../../api/policies/access.ts';
import { type AnyRoute, defineRoute } from '../../../api/route.ts';
import { listen, type RunningServer } from '../../../api/server.ts';
import { onConnection, openDatabase } from '../../../store/database.ts';
import { caller, testConfig } from '../../support/api.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { chooseTestPort } from '../../support/free-port.ts';

const reads = {
  '/api/test/statement': (db: Knex) => db.raw('select 1'),
  '/api/test/transaction': (db: Knex) => db.transaction((trx) => trx.raw('select 1')),
  '/api/test/connection': (db: Knex) => onConnection(db, (connection) => connection.query('select 1')),
};
const paths = ['/api/health', ...Object.keys(reads)];

let database: TestDatabase;
let db: Knex;
let running: RunningServer;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

async function serve(url: string): Promise<void> {
  db = openDatabase(url, { poolSize: 1, acquireTimeoutMs: 300 });
  const app = createApp({ db, config: testConfig(), log: pino({ enabled: false }) }, [
    ...healthRoutes({ db }),
    ...Object.entries(reads).map(([path, read]) => readRoute(path.replace('/api', ''), () => read(db))),
  ]);
  running = await listen(app, { host: '127.0.0.1', port: 0 });
}

const readRoute = (path: string, read: () => Promise<unknown>): AnyRoute =>
  defineRoute({
    method: 'get',
    path,
    summary: 'Reads from the database',
    scope: 'public',
    access: anybody,
    response: z.strictObject({}),
    async handler() {
      await read();
      return {};
    },
  });

const ask = async (path: string) => {
  const { status, headers, body } = await caller(`http://127.0.0.1:${running.port}`).send('GET', path);
  return { status, body, retryAfter: headers.get('retry-after') };
};
const refused = { status: 503, retryAfter: '5', body: { error: { code: 'unavailable' } } };

beforeEach(() => serve(database.url));
afterEach(async () => {
  await running.close(1000);
  await db.destroy();
});

it('is answered with 503 and when to retry while all connections are in use, and then as ever', async () => {
  const holder = await db.transaction();
  for (const path of paths) {
    expect([path, await ask(path)]).toEqual([path, expect.objectContaining({ status: 503 })]);
    expect(await ask(path)).toMatchObject(refused);
  }
  await holder.rollback();
  for (const path of paths) {
    expect([path, (await ask(path)).status]).toEqual([path, 200]);
  }
});

it('is answered so while the server of the database is unreachable', async () => {
  await running.close(1000);
  await db.destroy();
  await serve(`postgres://nobody@127.0.0.1:${await chooseTestPort()}/none`);
  for (const path of paths) {
    expect([path, await ask(path)]).toMatchObject([path, refused]);
  }
});

it('is never an internal error to a stranger while another sends requests ahead', async () => {
  const holder = await db.transaction();
  const ahead = connect(running.port, '127.0.0.1');
  ahead.resume().write('GET /api/health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'.repeat(1000));
  const answers = await Promise.all(paths.map(ask));
  expect(answers).toEqual(paths.map(() => expect.objectContaining({ status: 503, retryAfter: '5' })));
  ahead.destroy();
  await holder.rollback();
});
