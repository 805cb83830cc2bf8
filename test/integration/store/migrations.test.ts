import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Knex } from 'knex';
import { migrationSource } from '../../../migrations/index.ts';
import { migrate } from '../../../store/migrate.ts';
import { onlyRow } from '../../../store/read-rows.ts';
import { requireCurrentSchema } from '../../../store/usable-server.ts';
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { untilFound } from '../../support/eventually.ts';
import { callOf, freezeGates, giveGrant, grantFor, passOn } from '../../support/granted.ts';
import { deployFiles, deployService } from '../../support/service-previews.ts';
import { createTenant, testMasterKeys } from '../../support/tenant.ts';

const name = '20261121100200_order_grant_uses';
const validOf = async (db: Knex, index: string): Promise<boolean | undefined> => {
  const { rows } = await db.raw('select indisvalid from pg_index where indexrelid = to_regclass(?)', [index]);
  return rows[0]?.indisvalid;
};

/** Waits until the build of an index waits for a transaction that has written to the table and is still open. */
const untilItWaits = (db: Knex) =>
  untilFound('the build of the index to wait', async () => {
    const { rows } = await db.raw(
      `select pid from pg_stat_activity
       where datname = current_database() and query like 'create index%' and wait_event_type = 'Lock'`,
    );
    return (rows[0]?.pid as number | undefined) ?? null;
  });

describe('an index that is built on a table of the gated calls', () => {
  let database: TestDatabase;
  let migration: Knex.Migration;

  beforeAll(async () => {
    database = await createTestDatabase();
    migration = await migrationSource.getMigration(name);
  });
  afterAll(() => database.drop());

  /** Starts a use of a grant and leaves its transaction open. */
  async function useUnderWay() {
    const { db } = database;
    const tenant = await createTenant(db, testMasterKeys());
    const agent = await tenant.agent();
    const session = await freezeGates(db, await tenant.session(agent), agent);
    const { id } = await giveGrant(db, session, { scope: 'persistent' });
    const writing = await db.transaction();
    const { callId, server, tool } = callOf(session);
    await writing('grant_uses').insert({
      call_id: callId,
      grant_id: id,
      session_id: session.id,
      server,
      tool,
    });
    return { session, grantId: id, writing };
  }

  it('blocks no call', async () => {
    const { db } = database;
    await migration.down?.(db);
    const { session, grantId, writing } = await useUnderWay();
    const building = migration.up(db);
    await untilItWaits(db);
    expect(await passOn(db, callOf(session))).toEqual({ grantId });
    await writing.commit();
    await building;
    expect(await validOf(db, 'grant_uses_of_grant')).toBe(true);
    expect(await validOf(db, 'grant_uses_by_grant')).toBeUndefined();
  });

  it('is rebuilt when its build was interrupted', async () => {
    const { db } = database;
    await migration.down?.(db);
    const { writing } = await useUnderWay();
    const building = Promise.allSettled([migration.up(db)]);
    const pid = await untilItWaits(db);
    await db.raw('select pg_terminate_backend(?)', [pid]);
    expect((await building)[0]?.status).toBe('rejected');
    await writing.commit();
    expect(await validOf(db, 'grant_uses_of_grant')).toBe(false);
    await migration.up(db);
    expect(await validOf(db, 'grant_uses_of_grant')).toBe(true);
  });
});

it('gives the index of open requests its calls, also when that was interrupted', async () => {
  const { db, drop } = await createTestDatabase();
  const migration = await migrationSource.getMigration('20261126200100_index_open_calls');
  const both = async () => [
    await validOf(db, 'permission_requests_open'),
    await validOf(db, 'permission_requests_open_call'),
  ];
  await migration.down?.(db);
  expect(await both()).toEqual([true, undefined]);
  await migration.up(db);
  expect(await both()).toEqual([undefined, true]);
  await db.raw(
    'create unique index permission_requests_open on permission_requests (session_id, grant_type, details, scope)',
  );
  await migration.up(db);
  expect(await both()).toEqual([undefined, true]);
  await drop();
});

describe('a database', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createEmptyDatabase();
  });
  afterAll(() => database.drop());

  it('of an earlier release keeps its grants, which count as made by members', async () => {
    const { db } = database;
    await db.migrate.before({ name: '20261122100000_add_granted_by_role' });
    const user = onlyRow(
      await db('users')
        .insert({ issuer: 'demo', subject: 'a', email: 'a@demo.test', name: 'A' })
        .returning('id'),
    );
    const workspace = onlyRow(await db('workspaces').insert({ slug: 'w', name: 'W' }).returning('id'));
    const session = { workspace_id: workspace.id, operator_id: user.id, agent_id: null } as never;
    const {
      granted_by_role: _,
      bound_call_digest: __,
      expires_at: ___,
      ...old
    } = grantFor(session, { user_subject_id: user.id });
    await db('grants').insert({ ...old, details: JSON.stringify(old.details) });
    await expect(requireCurrentSchema(db)).rejects.toThrow('lacks');
    const { applied } = await migrate(db);
    expect(applied).toContain('20261122100000_add_granted_by_role');
    expect(await db('grants')).toMatchObject([{ id: old.id, granted_by_role: 'member' }]);
  });

  it('is migrated even if a process was killed while migrating', async () => {
    const { db } = database;
    await db('migrations_lock').update({ is_locked: 1 });
    await db('migrations').where({ name: '20261122100300_index_idempotency_keys' }).delete();
    expect(await migrate(db)).toEqual({ applied: ['20261122100300_index_idempotency_keys'] });
  });
});

it('loses the previews of services, and no others, when an earlier release comes back', async () => {
  const { db, drop } = await createTestDatabase();
  const tenant = await createTenant(db, testMasterKeys());
  const session = await tenant.session(await tenant.agent());
  const kept = await deployFiles(db, session);
  await deployService(db, session, 'web');
  const migration = await migrationSource.getMigration('20261127000000_create_preview_services');
  await migration.down?.(db);
  expect(await db('previews').pluck('id')).toEqual([kept]);
  await migration.up(db);
  expect(await db('previews').pluck('service')).toEqual([null]);
  await drop();
});

it('is migrated once by several concurrent processes', async () => {
  const { db, drop } = await createEmptyDatabase();
  const runs = await Promise.all([migrate(db), migrate(db), migrate(db)]);
  const applied = runs.map((run) => run.applied.length).sort((a, b) => a - b);
  expect(applied).toEqual([0, 0, (await migrationSource.getMigrations([])).length]);
  await requireCurrentSchema(db);
  await drop();
});
