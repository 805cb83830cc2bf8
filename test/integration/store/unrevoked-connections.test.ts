/** Which ended sign-ins a sweep looks at, when more are left than it takes. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { listUnrevokedConnections } from '../../../store/oauth-connections/read.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { fillEveryTable } from '../../support/filled-tables.ts';

const perSweep = 20;

let database: TestDatabase;
let loud: string[];
let quiet: string;

beforeAll(async () => {
  database = await createTestDatabase();
  const { db } = database;
  const filled = (await fillEveryTable(db)).get('oauth_connections') ?? {};
  await db('oauth_connections').delete();
  const [workspace] = await db('workspaces').insert({ slug: 'quiet', name: 'Quiet' }).returning('id');
  const ended = (endedAt: string, more: object = {}) => {
    const id = randomUUID();
    return {
      ...filled,
      id,
      ended_at: endedAt,
      end_reason: 'disconnected' as const,
      revoked_at: null,
      ...more,
    };
  };
  const ofLoud = Array.from({ length: perSweep + 5 }, () => ended('2026-01-01T00:00:00Z'));
  const ofQuiet = ended('2026-01-02T00:00:00Z', { workspace_id: workspace?.id });
  await db('oauth_connections').insert([...ofLoud, ofQuiet]);
  loud = ofLoud.map(({ id }) => id);
  quiet = ofQuiet.id;
});
afterAll(() => database.drop());

const listed = async () => (await listUnrevokedConnections(database.db, perSweep)).map(({ id }) => id);

it('those of a workspace whose servers revoke nothing leave room for those of another', async () => {
  const ids = await listed();
  expect(ids).toHaveLength(perSweep);
  expect(ids).toContain(quiet);
});

it('none keeps others of its workspace from their turn', async () => {
  const seen = new Set<string>();
  for (let sweeps = 0; sweeps < 50; sweeps += 1) {
    for (const id of await listed()) {
      seen.add(id);
    }
  }
  expect([...seen].sort()).toEqual([...loud, quiet].sort());
});
