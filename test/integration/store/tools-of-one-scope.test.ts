/** One scope for every tool of a catalog of the maximum size: some of them are named, the rest counted. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Agent } from '../../../contract/agent.ts';
import type { Session } from '../../../contract/session.ts';
import { mostOpenedTools } from '../../../contract/session-event.ts';
import type { Transaction } from '../../../store/database.ts';
import { listReach } from '../../../store/grants/reach.ts';
import { readOpenedTools } from '../../../store/permission-requests/context.ts';
import { storeConfiguration } from '../../../store/session-configurations/configurations.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { configuration, serverNamed } from '../../support/frozen-configuration.ts';
import { giveGrant } from '../../support/granted.ts';
import { bestRatio } from '../../support/loop-hold.ts';
import { createTenant, type Tenant, testMasterKeys } from '../../support/tenant.ts';

const entries = 32;
const toolsPerEntry = 1000;
const grants = 12;
const scope = 'files.write';
const answered = { tools: expect.any(Array), more_tools: entries * toolsPerEntry - mostOpenedTools };
/**
 * The control parses a name of each tool. Copying a list for each tool took seventeen times what is allowed.
 */
const allTools = JSON.stringify(
  Array.from({ length: entries * toolsPerEntry }, (_, at) => ({ tool: `tool${at}` })),
);
const briefly = { control: () => JSON.parse(allTools), below: 100, leastControlMs: 5, rounds: 3 };

let database: TestDatabase;
let tenant: Tenant;
let agent: Agent;
let session: Session;
beforeAll(async () => {
  database = await createTestDatabase();
  tenant = await createTenant(database.db, testMasterKeys());
  agent = await tenant.agent();
  session = await tenant.session(agent);
  const tool_scopes = Object.fromEntries(
    Array.from({ length: toolsPerEntry }, (_, at) => [`tool${at}`, scope]),
  );
  const names = Array.from({ length: entries }, (_, at) => `server${at}`);
  for (const name of names) {
    await tenant.server(name, { tool_scopes });
    await tenant.attach(agent, name, {});
  }
  const ids = { session_id: session.id, workspace_id: tenant.workspace.id };
  const servers = names.map((name) => serverNamed(name, { tool_scopes }));
  await storeConfiguration(database.db, configuration({ ...ids, servers }));
  for (let at = 0; at < grants; at += 1) {
    await giveGrant(database.db, session, { user_subject_id: tenant.max.id, scope: 'persistent' });
  }
});
afterAll(() => database.drop());

it('the reach of an agent names the first tools of a scope in pages of grants', async () => {
  const start = { workspaceId: tenant.workspace.id, agentId: agent.id, userId: tenant.max.id };
  const rows = countRows();
  const list = () => withSmallSorts((trx) => listReach(trx, start, { limit: 10 }));
  const first = await list();
  expect(rows()).toBeLessThan(2 * mostOpenedTools);
  expect(await bestRatio({ subject: list, ...briefly })).toBeLessThan(briefly.below);
  expect(first.items).toHaveLength(10);
  for (const item of first.items) {
    expect(item).toMatchObject(answered);
    expect(item.tools).toHaveLength(mostOpenedTools);
  }
  expect(first.items[0]?.tools.slice(0, 2)).toEqual([
    { server: 'server0', tool: 'tool0' },
    { server: 'server0', tool: 'tool1' },
  ]);
  const rest = await listReach(database.db, start, { limit: 10, cursor: first.nextCursor ?? '' });
  const ids = [...first.items, ...rest.items].map(({ grant }) => grant.id);
  expect(rest).toMatchObject({ items: [answered, answered], nextCursor: null });
  expect(new Set(ids).size).toBe(grants);
});

it('a list of permission requests names the first tools of each request’s scope', async () => {
  const asked = (details: Record<string, unknown>) => ({
    id: randomUUID(),
    session_id: session.id,
    grant_type: 'tool_scope' as const,
    details,
  });
  const requests = Array.from({ length: 20 }, () => asked({ scope }));
  const unknown = asked({ scope: 'nothing.here' });
  const rows = countRows();
  const read = () => withSmallSorts((trx) => readOpenedTools(trx, [...requests, unknown]));
  const result = await read();
  expect(rows()).toBe(mostOpenedTools);
  expect(await bestRatio({ subject: read, ...briefly })).toBeLessThan(briefly.below);
  for (const { id } of requests) {
    expect(result.get(id)).toMatchObject(answered);
    expect(result.get(id)?.tools).toHaveLength(mostOpenedTools);
  }
  expect(result.get(unknown.id)).toEqual({ tools: [], more_tools: 0 });
});

/** A statement that writes more than 32 MB to disk fails: with the manifest beside each tool it is 800 MB. */
function withSmallSorts<Result>(work: (trx: Transaction) => Promise<Result>): Promise<Result> {
  return database.db.transaction(async (trx) => {
    await trx.raw(`set local temp_file_limit = '32MB'`);
    return work(trx);
  });
}

/** How many rows the database has sent from now on. */
function countRows(): () => number {
  let count = 0;
  database.db.on('query-response', (response: { rows?: unknown[] } | unknown[]) => {
    count += (Array.isArray(response) ? response : (response.rows ?? [])).length;
  });
  return () => count;
}
