/** `registry_secret` was a bare name once: what is stored is rewritten, and what an older API still writes is read. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Knex } from 'knex';
import { registerMcpServer } from '../../../commands/mcp-servers/register.ts';
import { mcpServerInput } from '../../../contract/catalog.ts';
import { down, up } from '../../../migrations/20261122120000_reference_registry_secrets.ts';
import { readMcpServer } from '../../../store/mcp-servers/read.ts';
import { listSecretUses } from '../../../store/secrets/uses.ts';
import {
  readConfiguration,
  storeConfiguration,
} from '../../../store/session-configurations/configurations.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { entrySave } from '../../support/entry-save.ts';
import { configuration, serverNamed } from '../../support/frozen-configuration.ts';
import { createTenant, type Tenant, testMasterKeys } from '../../support/tenant.ts';

let database: TestDatabase;
let db: Knex;
let tenant: Tenant;
beforeAll(async () => {
  database = await createTestDatabase();
  ({ db } = database);
  tenant = await createTenant(db, testMasterKeys());
});
afterAll(() => database.drop());

const name = 'boxed';
const reference = '${REGISTRY}';
const stored = async () => (await db('mcp_servers').where({ name }).first('shape'))?.shape;

it('is read and rewritten as a reference, and found among the uses of the secret', async () => {
  const workspaceId = tenant.workspace.id;
  const shape = { type: 'image' as const, image: 'registry.example/a/b:1', registry_secret: reference };
  await registerMcpServer(db, workspaceId, entrySave(mcpServerInput.parse({ name, shape }), tenant.ada.id));
  await tenant.server('other', undefined);
  const older = JSON.stringify({ ...shape, registry_secret: 'REGISTRY' });
  await db('mcp_servers').where({ name }).update({ shape: older });
  expect((await readMcpServer(db, workspaceId, name))?.shape).toEqual(shape);
  for (let times = 0; times < 2; times += 1) {
    await up(db);
    expect(await stored()).toEqual(shape);
  }
  const uses = await listSecretUses(db, { workspaceId, name: 'REGISTRY' }, { limit: 10 });
  expect(uses.items).toMatchObject([{ kind: 'registry_secret', name }]);
  await down(db);
  expect(await stored()).toEqual(JSON.parse(older));
  expect((await readMcpServer(db, workspaceId, 'other'))?.shape).toMatchObject({ type: 'command' });
});

it('is read as a reference where a session was frozen with the bare name', async () => {
  const session = await tenant.session(await tenant.agent());
  const image = { type: 'image' as const, image: 'registry.example/a/b:1' };
  const servers = [
    serverNamed('boxed', { shape: { ...image, registry_secret: reference } }),
    serverNamed('files'),
  ];
  const frozen = configuration({ session_id: session.id, workspace_id: tenant.workspace.id, servers });
  await storeConfiguration(db, frozen);
  await db('session_configurations')
    .where({ session_id: session.id })
    .update({
      configuration: db.raw(`jsonb_set(configuration, '{servers,0,shape,registry_secret}', '"REGISTRY"')`),
    });
  expect(await readConfiguration(db, session.id)).toEqual(frozen);
});
