/** Names that were there before any were compared, or that an earlier release wrote since. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { migrate } from '../../../store/migrate.ts';
import { findSimilarName, foldAllNames } from '../../../store/shown-names.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { createTenant, envOf, type Tenant, testMasterKeys } from '../../support/tenant.ts';

let database: TestDatabase;
let tenant: Tenant;

beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(async () => {
  tenant = await createTenant(database.db, testMasterKeys());
});
afterAll(() => database.drop());

let written = 0;
/** As a release before this one writes them, one after the other. */
async function write(table: 'agents' | 'schedules', names: readonly string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const _ of names) {
    ids.push((table === 'agents' ? await tenant.agent() : await tenant.schedule()).id);
  }
  const forms = { name_caseless: null, name_seen: null, name_folded: null };
  for (const [at, name] of names.entries()) {
    written += 1;
    const created_at = new Date(Date.UTC(2026, 0, 1) + written * 1000).toISOString();
    await database
      .db(table)
      .where({ id: ids[at] ?? '' })
      .update({ name, created_at, ...forms });
  }
  return ids;
}
const namesOf = async (table: 'agents' | 'schedules') =>
  (
    await database
      .db(table)
      .where({ workspace_id: tenant.workspace.id })
      .whereRaw("created_at < '2026-02-01'")
      .orderBy('created_at')
      .select('name')
  ).map(({ name }) => name);
const audited = async () =>
  database
    .db('audit_events')
    .where({ workspace_id: tenant.workspace.id, actor_type: 'system' })
    .orderBy('position')
    .select('event', 'resource_id', 'resource_name', 'data');

describe('names of before', () => {
  it('are cleaned, and of those that are the same all but the oldest get a number, which is audited', async () => {
    const ids = await write('agents', [
      ...['scribe', 'Scribe', 'ѕсrіbе', 'scribe 2', '\u200b', ' agent', 'x'.repeat(100), 'X'.repeat(100)],
    ]);
    await foldAllNames(database.db);
    expect(await namesOf('agents')).toEqual([
      ...['scribe', 'Scribe 3', 'ѕсrіbе 4', 'scribe 2', 'agent', 'agent 2'],
      ...['x'.repeat(100), `${'X'.repeat(98)} 2`],
    ]);
    expect(await audited()).toMatchObject([
      {
        event: 'agent.updated',
        resource_id: ids[1],
        resource_name: 'Scribe 3',
        data: { changed: ['name'], name_before: 'Scribe' },
      },
      { resource_id: ids[2], data: { name_before: 'ѕсrіbе' } },
      { resource_id: ids[4], resource_name: 'agent', data: { name_before: '\u200b' } },
      { resource_id: ids[5], resource_name: 'agent 2', data: { name_before: ' agent' } },
      { resource_id: ids[7] },
    ]);
    const again = await audited();
    await migrate(database.db);
    expect(await audited()).toEqual(again);
  });

  it('of schedules likewise', async () => {
    await write('schedules', ['Nightly', 'nightly']);
    await foldAllNames(database.db);
    expect(await namesOf('schedules')).toEqual(['Nightly', 'nightly 2']);
    expect(await audited()).toMatchObject([{ event: 'schedule.updated', resource_name: 'nightly 2' }]);
  });

  it('of entries stay, since agents call tools by them, and no further one is like them', async () => {
    const entries = database.db('mcp_servers').where({ workspace_id: tenant.workspace.id });
    await tenant.server('files-1', envOf({}));
    const other = await tenant.server('other', envOf({}));
    const nothing = { name_caseless: null, name_seen: null, name_folded: null };
    await entries
      .clone()
      .where({ id: other.id })
      .update({ name: 'files-l', ...nothing });
    await foldAllNames(database.db);
    expect((await entries.clone().orderBy('name').select('name')).map(({ name }) => name)).toEqual(
      expect.arrayContaining(['files-1', 'files-l']),
    );
    expect(await audited()).toEqual([]);
    await expect(tenant.server('fi1es-1', envOf({}))).rejects.toThrow();
  });
});

describe('a name that an earlier release writes beside this one', () => {
  it('is compared with the next one that is saved', async () => {
    await write('agents', ['scribe']);
    await expect(tenant.agent({ name: 'Scribe' })).rejects.toThrow();
    expect(await tenant.agent({ name: 'Scribe 2' })).toMatchObject({ name: 'Scribe 2' });
  });

  it('in the place of another frees that', async () => {
    const { id } = await tenant.agent({ name: 'scribe' });
    await database.db('agents').where({ id }).update({ name: 'writer' });
    expect(await tenant.agent({ name: 'Scribe' })).toMatchObject({ name: 'Scribe' });
    await expect(tenant.agent({ name: 'Writer' })).rejects.toThrow();
    const of = { workspaceId: tenant.workspace.id, name: 'WRITER' };
    expect(await findSimilarName(database.db, 'agents', of)).toBe('writer');
    expect(await findSimilarName(database.db, 'agents', { ...of, exceptId: id })).toBeNull();
  });
});
