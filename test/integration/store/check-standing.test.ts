/**
 * What the statement for several calls leaves to the one for a single call. Its rules are tested in
 * `revocation` and in `api/checks`.
 */
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { revokeGrant } from '../../../commands/grants/revoke.ts';
import type { Session } from '../../../contract/session.ts';
import { checkStanding } from '../../../store/grants/check-standing.ts';
import { revokeKey } from '../../../store/grants/fitting-grant.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { callOf, freezeGates, giveGrant } from '../../support/granted.ts';
import { createTenant, testMasterKeys } from '../../support/tenant.ts';

let database: TestDatabase;
let session: Session;

beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(async () => {
  const tenant = await createTenant(database.db, testMasterKeys());
  const agent = await tenant.agent();
  session = await freezeGates(database.db, await tenant.session(agent), agent);
});
afterAll(() => database.drop());

const check = (...calls: object[]) =>
  checkStanding(
    database.db,
    session.id,
    calls.map((content) => callOf(session, content)),
  );

it('leaves once grants alone', async () => {
  await giveGrant(database.db, session);
  expect(await check({}, {})).toEqual(new Map());
});

it('does not let a grant of a member pass where the scope is for admins only', async () => {
  await database.db('session_configurations').where({ session_id: session.id }).delete();
  const tenant = await createTenant(database.db, testMasterKeys());
  const agent = await tenant.agent();
  session = await freezeGates(database.db, await tenant.session(agent), agent, { approvers: 'admin' });
  await giveGrant(database.db, session, { scope: 'persistent' });
  expect(await check({}, {})).toEqual(new Map());
  const { id } = await giveGrant(database.db, session, { scope: 'persistent', granted_by_role: 'admin' });
  expect([...(await check({}, {})).values()]).toEqual([id, id]);
});

it('skips a grant that somebody waits to revoke, so that no number of checks delays the revoke', async () => {
  const grant = await giveGrant(database.db, session, { scope: 'persistent' });
  const revoked = await database.db.transaction(async (checking) => {
    // A check that has not committed yet.
    await checking('grants').where({ id: grant.id }).forShare();
    await checking('grants')
      .where({ id: grant.id })
      .select(checking.raw(`pg_advisory_xact_lock_shared(${revokeKey('id')})`));
    expect((await check({})).size).toBe(1);
    const revoking = revokeGrant(database.db, grant.id, { type: 'system', id: null });
    await eventually(async () => {
      const waiting = await database
        .db('pg_stat_activity')
        .where({ wait_event_type: 'Lock' })
        .andWhereRaw('datname = current_database()');
      expect(waiting).toHaveLength(1);
    });
    expect(await check({}, {})).toEqual(new Map());
    return { revoking };
  });
  expect(await revoked.revoking).toBe(true);
  expect(await check({})).toEqual(new Map());
});
