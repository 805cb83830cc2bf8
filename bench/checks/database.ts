/** A Postgres of the bench's own, with its writes synced, and a session in it whose agent holds a standing grant. */
import { randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import { type RunningPostgres, startPostgres } from '../../bin/start/postgres.ts';
import { openDatabase } from '../../store/database.ts';
import { migrate } from '../../store/migrate.ts';
import { freezeGates, giveGrant } from '../../test/support/granted.ts';
import { createTenant, testMasterKeys } from '../../test/support/tenant.ts';
import { gatedTool } from '../gate/sidecar.ts';

export interface BenchDatabase {
  db: Knex;
  url: string;
  postgres: RunningPostgres;
  sessionId: string;
  close(): Promise<void>;
}

export async function openBenchDatabase(directory: string): Promise<BenchDatabase> {
  const postgres = await startPostgres({ directory, password: randomBytes(16).toString('hex') });
  const url = postgres.url();
  const db = openDatabase(url, { poolSize: 16 });
  await migrate(db);
  const tenant = await createTenant(db, testMasterKeys());
  const agent = await tenant.agent();
  const { server, tool, scope } = gatedTool;
  const session = await tenant.session(agent);
  await freezeGates(db, session, agent, { name: server, tool_scopes: { [tool]: scope } });
  await giveGrant(db, session, { scope: 'persistent', details: { scope } });
  await db.raw('analyze');
  return {
    db,
    url,
    postgres,
    sessionId: session.id,
    async close() {
      await db.destroy();
      await postgres.stop();
    },
  };
}
