import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { putSecret } from '../../../commands/secrets/secrets.ts';
import { createWorkspace } from '../../../commands/workspaces/workspaces.ts';
import { seal } from '../../../store/secrets/envelope.ts';
import { verifyMasterKeys } from '../../../store/secrets/master-keys.ts';
import { readSealed } from '../../../store/secrets/secrets.ts';
import { upsertUser } from '../../../store/users/users.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

const key = (id: string) => ({ id, key: randomBytes(32) });
const [first, second] = [key('first'), key('second')];
let database: TestDatabase;
let workspaceId: string;

beforeAll(async () => {
  database = await createTestDatabase();
  const { db } = database;
  const user = await upsertUser(db, { issuer: 'demo', subject: 'a', email: 'a', name: 'a' });
  workspaceId = (await createWorkspace(db, { slug: 'w', name: 'w' }, user))?.id ?? '';
  for (const [name, keys] of [
    ['OLD', [first]],
    ['NEW', [second, first]],
  ] as const) {
    const identity = { workspaceId, name };
    await putSecret(db, identity, seal(keys, identity, Buffer.from(name)), user.id);
  }
});
afterAll(() => database.drop());

describe('the start with master keys', () => {
  it('continues when every stored value can be decrypted', async () => {
    expect(await verifyMasterKeys(database.db, [second, first])).toEqual({ verified: 2 });
  });

  it('fails, naming the variable, when a key is missing, retired too early or another key of the same id', async () => {
    for (const keys of [[], [second], [second, key('first')]]) {
      await expect(verifyMasterKeys(database.db, keys)).rejects.toThrow(
        /MASTER_KEYS does not fit this database/,
      );
    }
  });

  it('fails when a row was swapped with another', async () => {
    const stored = await readSealed(database.db, workspaceId, ['OLD', 'NEW', 'ABSENT']);
    expect(stored.map(({ name, version }) => [name, version]).sort()).toEqual([
      ['NEW', 1],
      ['OLD', 1],
    ]);
    const old = stored.find(({ name }) => name === 'OLD');
    const trx = await database.db.transaction();
    try {
      await trx('workspace_secrets')
        .where({ name: 'NEW' })
        .update({
          sealed_value: old?.sealedValue ?? null,
          sealed_data_key: old?.sealedDataKey ?? null,
          key_id: old?.keyId ?? null,
        });
      await expect(verifyMasterKeys(trx, [second, first])).rejects.toThrow('the secret NEW does not open');
    } finally {
      await trx.rollback();
    }
    expect(await verifyMasterKeys(database.db, [second, first])).toEqual({ verified: 2 });
  });
});
