/**
 * Removing closed workspaces permanently: by the operator's program on the real Postgres, and by the sweep.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { removeDueWorkspaces } from '../../../../bin/worker/closed-workspaces.ts';
import { moveSession } from '../../../../commands/sessions/move.ts';
import { closeWorkspace, reopenWorkspace } from '../../../../commands/workspaces/close.ts';
import { endInClosed } from '../../../../commands/workspaces/end-in-closed.ts';
import { beginRemoval, removeBatch } from '../../../../commands/workspaces/remove.ts';
import type { Session } from '../../../../contract/session.ts';
import { readMembership } from '../../../../store/members/members.ts';
import { listRemovedWorkspaces } from '../../../../store/workspaces/removal.ts';
import { bundledProgram } from '../../../support/bundled-program.ts';
import { createTestDatabase, type TestDatabase } from '../../../support/database.ts';
import { giveGrant } from '../../../support/granted.ts';
import { createTenant, type Tenant, testMasterKeys } from '../../../support/tenant.ts';

let database: TestDatabase;
let tenant: Tenant;
let session: Session;

beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(async () => {
  tenant = await createTenant(database.db, testMasterKeys());
  session = await tenant.session(await tenant.agent());
  await giveGrant(database.db, session, { scope: 'persistent' });
});
afterAll(() => database.drop());

const id = () => tenant.workspace.id;
const close = () =>
  closeWorkspace(database.db, {
    ...{ workspaceId: id(), userId: tenant.ada.id, name: tenant.workspace.name, reopenableDays: 30 },
  });
const end = async () => {
  await endInClosed(database.db, id(), async () => undefined);
  await moveSession(database.db, session.id, { to: 'terminated', reason: 'Closed' });
};
const passTime = () =>
  database.db('workspaces').where({ id: id() }).update({ reopenable_until: '2026-01-01T00:00:00Z' });
const record = async () => (await listRemovedWorkspaces(database.db)).find((each) => each.id === id());
const rowsLeft = async () => {
  const counts = await Promise.all(
    (['workspaces', 'sessions', 'audit_events', 'grants', 'agents', 'members'] as const).map(async (table) =>
      Number(
        (await database.db(table).where({ [table === 'workspaces' ? 'id' : 'workspace_id']: id() } as never))
          .length,
      ),
    ),
  );
  return counts.reduce((sum, each) => sum + each, 0);
};

async function run(...args: string[]) {
  const child = spawn(process.execPath, [bundledProgram('bin/remove-workspace.ts'), ...args], {
    env: { PATH: process.env['PATH'], DATABASE_URL: database.url },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { exitCode: child.exitCode, stdout, stderr };
}
const remove = (...more: string[]) =>
  run('--slug', tenant.workspace.slug, '--name', tenant.workspace.name, '--by', 'Olga, ticket 7', ...more);
const refused = (why: string) => ({ exitCode: 1, stderr: expect.stringContaining(why) });

it('is the operator’s, of a closed workspace by its name, and leaves a record', async () => {
  const other = await createTenant(database.db, testMasterKeys());
  const kept = await other.session(await other.agent());
  expect(await remove()).toMatchObject(refused('no closed workspace'));
  await close();
  expect(await remove()).toMatchObject(refused('has not ended yet'));
  await end();
  expect(await run('--slug', tenant.workspace.slug, '--name', 'Another', '--by', 'x')).toMatchObject(
    refused('has another name'),
  );
  expect(await run('--slug', tenant.workspace.slug)).toMatchObject(refused('--name'));
  expect(await remove('--dry-run')).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('would be'),
  });
  expect(await record()).toBeUndefined();
  expect(await run('--list')).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining(tenant.workspace.slug),
  });

  const events = (await database.db('audit_events').where({ workspace_id: id() })).length;
  expect(events).toBeGreaterThan(3);
  expect(await remove()).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('was removed') });
  expect(await rowsLeft()).toBe(0);
  expect(await record()).toMatchObject({
    ...{ slug: tenant.workspace.slug, name: tenant.workspace.name, closed_by: tenant.ada.id },
    ...{ removed_by: 'operator: Olga, ticket 7', removed_at: expect.any(String), last_export_sha256: null },
    counts: { sessions: 1, grants: 1, agents: 1, audit_events: events, workspaces: 1 },
  });
  expect(await database.db('sessions').where({ id: kept.id }).pluck('id')).toEqual([kept.id]);
  expect(await remove()).toMatchObject(refused('no closed workspace'));
});

it('goes on where it was interrupted, unread and not reopened by anybody', async () => {
  await close();
  await end();
  const begin = () => beginRemoval(database.db, { workspaceId: id(), by: 'operator: Olga', isDue: false });
  expect(await begin()).toBe('begun');
  const before = await rowsLeft();
  expect(await removeBatch(database.db, { workspaceId: id(), limit: 1 })).toBe(true);
  expect(await rowsLeft()).toBeLessThanOrEqual(before);
  expect(await readMembership(database.db, tenant.ada.id, { workspaceId: id() })).toBeNull();
  const by = { workspaceId: id(), userId: tenant.ada.id };
  expect(await reopenWorkspace(database.db, by)).toEqual({ result: 'too_late' });
  await Promise.all([removeDueWorkspaces(database.db), remove('--by', 'Somebody else')]);
  expect(await rowsLeft()).toBe(0);
  expect(await record()).toMatchObject({
    ...{ removed_by: 'operator: Olga', removed_at: expect.any(String) },
    counts: { sessions: 1, grants: 1, agents: 1, workspaces: 1 },
  });
});

it('is the sweep’s once nobody can reopen it, and nobody else’s before', async () => {
  await close();
  await end();
  await removeDueWorkspaces(database.db);
  expect(await record()).toBeUndefined();
  expect(await removeBatch(database.db, { workspaceId: id(), limit: 1000 })).toBe(false);
  expect(await rowsLeft()).toBeGreaterThan(5);
  await passTime();
  await removeDueWorkspaces(database.db);
  expect(await rowsLeft()).toBe(0);
  expect(await record()).toMatchObject({ removed_by: 'sweep', removed_at: expect.any(String) });
});
