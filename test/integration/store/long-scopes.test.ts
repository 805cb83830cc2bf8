/** A scope may be as long as the pattern allows: the index of open requests can hold it. */
import { randomInt, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { askForPermission } from '../../../commands/permission-requests/ask.ts';
import { toolScope } from '../../../contract/names.ts';
import { readPermissionRequest } from '../../../store/permission-requests/requests.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { callKeys, freezeGates } from '../../support/granted.ts';
import { createTenant, testMasterKeys } from '../../support/tenant.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

/** Random, since what repeats would be compressed. */
const letters = (count: number) =>
  Array.from({ length: count }, () => String.fromCharCode(97 + randomInt(26))).join('');

it('can request the longest possible scope, for one refused call', async () => {
  const tenant = await createTenant(database.db, testMasterKeys());
  const agent = await tenant.agent();
  const session = await freezeGates(database.db, await tenant.session(agent), agent);
  const scope = `${letters(999)}.${letters(1000)}`;
  expect(toolScope.safeParse(scope).success).toBe(true);
  expect(toolScope.safeParse(`${scope}a`).success).toBe(false);
  const request = {
    request_id: randomUUID(),
    grant_type: 'tool_scope' as const,
    details: { scope },
    scope: 'once' as const,
    justification: '',
    refused_call: { server: 'files', tool: 'write_file', arguments: '{}' },
  };
  await askForPermission(database.db, callKeys, session.id, request, {
    openRequests: 10,
    denialMuteSeconds: 0,
    expirySeconds: 3600,
  });
  expect(await readPermissionRequest(database.db, request.request_id)).toMatchObject({
    details: { scope },
    refused_call: { digest: expect.any(String) },
  });
});
