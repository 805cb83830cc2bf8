/** The load that a catalog of the maximum size puts on the database: each entry and session is read once. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { scopesNamed, scopesThatNeedAdmin } from '../../../store/grants/scopes.ts';
import { storeConfiguration } from '../../../store/session-configurations/configurations.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { configuration, serverNamed } from '../../support/frozen-configuration.ts';
import { bestRatio } from '../../support/loop-hold.ts';
import { createTenant, type Tenant, testMasterKeys } from '../../support/tenant.ts';

const entries = 8;
const toolsPerEntry = 1000;
let database: TestDatabase;
let tenant: Tenant;

beforeAll(async () => {
  database = await createTestDatabase();
  tenant = await createTenant(database.db, testMasterKeys());
  const agent = await tenant.agent();
  const session = await tenant.session(agent);
  const gates = (kind: string) =>
    Object.fromEntries(Array.from({ length: toolsPerEntry }, (_, at) => [`tool${at}`, scopeOf(kind, at)]));
  for (let at = 0; at < entries; at += 1) {
    await tenant.server(`server${at}`, { tool_scopes: gates('entry') }, { approvers: 'admin' });
  }
  const { id: keptToday } = await tenant.server('kept-today', { tool_scopes: {} }, { approvers: 'admin' });
  const servers = Array.from({ length: entries }, (_, at) =>
    serverNamed(`server${at}`, { tool_scopes: gates('frozen'), approvers: 'admin' }),
  );
  servers.push(serverNamed('kept-today', { entry_id: keptToday, tool_scopes: { send: 'frozen.earlier' } }));
  const ids = { session_id: session.id, workspace_id: tenant.workspace.id };
  await storeConfiguration(database.db, configuration({ ...ids, servers }));
});
afterAll(() => database.drop());

describe.each([
  ['scopesNamed', scopesNamed],
  ['scopesThatNeedAdmin', scopesThatNeedAdmin],
])('%s', (_, lookUp) => {
  it('finds the scopes of entries and of what running sessions froze, and no others', async () => {
    const known = [scopeOf('entry', 7), 'frozen.earlier', scopeOf('frozen', 7)];
    const wanted = [...known, scopeOf('entry', 7), scopeOf('entry', 70_000), 'nobody.knows'];
    const found = await lookUp(database.db, tenant.workspace.id, wanted);
    expect([...found].sort()).toEqual(known);
    expect(await lookUp(database.db, randomUUID(), wanted)).toEqual(new Set());
  });

  it('costs about the same for 200 scopes as for one', async () => {
    const unknown = Array.from({ length: 200 }, (_, at) => scopeOf('unknown', at));
    const ratio = await bestRatio({
      subject: () => lookUp(database.db, tenant.workspace.id, unknown),
      control: () => lookUp(database.db, tenant.workspace.id, unknown.slice(0, 1)),
      of: 'clock',
      below: 5,
    });
    expect(ratio).toBeLessThan(5);
  });
});

/** A scope has letters only. */
const scopeOf = (kind: string, at: number) =>
  `${kind}.${[...String(at)].map((digit) => 'abcdefghij'[Number(digit)]).join('')}`;
