import { expect, it } from '@jest/globals';
import { registerMcpServer } from '../../../commands/mcp-servers/mcp-servers.ts';
import { mcpServerInput } from '../../../contract/catalog.ts';
import { listSecretUses } from '../../../store/secrets/uses.ts';
import { createTestDatabase } from '../../support/database.ts';
import { entrySave } from '../../support/entry-save.ts';
import { createTenant, testMasterKeys } from '../../support/tenant.ts';

it("an entry's registry credentials are found among the uses of their secret", async () => {
  const { db, drop } = await createTestDatabase();
  const tenant = await createTenant(db, testMasterKeys());
  const workspaceId = tenant.workspace.id;
  const name = 'boxed';
  const shape = { type: 'image', image: 'registry.example/a/b:1', registry_secret: '${REGISTRY}' };
  await registerMcpServer(db, workspaceId, entrySave(mcpServerInput.parse({ name, shape }), tenant.ada.id));
  const uses = await listSecretUses(db, { workspaceId, name: 'REGISTRY' }, { limit: 10 });
  expect(uses.items).toMatchObject([{ kind: 'registry_secret', name }]);
  await drop();
});
