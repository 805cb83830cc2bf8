/**
 * A Postgres of the bench's own, with its writes synced, and a session in it whose
 * agent holds a standing grant.
 */
import { randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import { type RunningPostgres, startPostgres } from '../../bin/start/postgres.ts';
import { openDatabase } from '../../store/database.ts';
import { migrate } from '../../store/migrate.ts';
import { freezeGates, giveGrant } from '../../test/support/granted.ts';
import { createTenant, testMasterKeys } from '../../test/support/tenant.ts';
import { gatedTool } from '../gate/sidecar.ts';

const earlierCalls = 50_000;

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
  const close = async () => {
    await db.destroy();
    await postgres.stop();
  };
  try {
    await migrate(db);
    return { db, url, postgres, sessionId: await addSession(db), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Its agent holds a grant for the gated tool, and has made calls before. */
async function addSession(db: Knex): Promise<string> {
  const tenant = await createTenant(db, testMasterKeys());
  const agent = await tenant.agent();
  const { server, tool, scope } = gatedTool;
  const session = await tenant.session(agent);
  await freezeGates(db, session, agent, { name: server, tool_scopes: { [tool]: scope } });
  const grant = await giveGrant(db, session, { scope: 'persistent', details: { scope } });
  await addEarlierCalls(db, [grant.id, session.id, server, tool, session.workspace_id, agent.id]);
  return session.id;
}

/** Statements are planned for tables that have rows, as they are in operation. */
async function addEarlierCalls(db: Knex, values: readonly string[]): Promise<void> {
  await db.raw(
    `with used as (
      insert into grant_uses (call_id, grant_id, session_id, server, tool)
      select gen_random_uuid(), ?, ?, ?, ? from generate_series(1, ${earlierCalls}) returning call_id, session_id, server
    )
    insert into audit_events (id, workspace_id, event, actor_type, actor_id, resource_type, resource_id, resource_name, session_id, data)
    select call_id, ?, 'session.mcp.tool_called', 'agent', ?, 'mcp_server', server, server, session_id, '{}' from used`,
    values,
  );
  await db.raw('vacuum analyze');
}
