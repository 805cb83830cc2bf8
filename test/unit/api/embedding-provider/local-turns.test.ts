import { afterAll, expect, it } from '@jest/globals';
import { embedTexts } from '../../../../api/embedding-provider/embed-texts.ts';
import { embeddingServersWith } from '../../../../api/embedding-provider/provider-url.ts';
import { createKeyedMutex } from '../../../../lib/limits/mutex.ts';
import { openDatabase } from '../../../../store/database.ts';
import { testMasterKeys } from '../../../support/tenant.ts';

/** Never asked: the collection was made by the platform itself. */
const db = openDatabase('postgres://unused@127.0.0.1/unused', { poolSize: 1 });
afterAll(() => db.destroy());

it('texts that the platform embeds itself are those of workspaces in turn', async () => {
  const dependencies = {
    db,
    masterKeys: testMasterKeys(),
    servers: embeddingServersWith(new Map()),
    runExclusive: createKeyedMutex(),
  };
  const ended: string[] = [];
  const embed = async (name: string, workspaceId: string) => {
    const embedder = { name: 'local-hashed-ngrams', model: null } as const;
    const { vectors } = await embedTexts(dependencies, { workspaceId, embedder }, [`the text ${name}`]);
    expect(vectors).toHaveLength(1);
    ended.push(name);
  };
  await Promise.all([
    embed('first', 'loud'),
    embed('second', 'loud'),
    embed('third', 'loud'),
    embed('other', 'quiet'),
  ]);
  expect(ended).toEqual(['first', 'other', 'second', 'third']);
});
