/**
 * Tools of a server that people sign in to: whose grant counts where a person's own
 * sign-in goes with the call.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Agent } from '../../../contract/agent.ts';
import type { FrozenServer, Session } from '../../../contract/session.ts';
import { checkStanding } from '../../../store/grants/check-standing.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { callOf, freezeGates, giveGrant, passOn } from '../../support/granted.ts';
import { createTenant, type Tenant, testMasterKeys } from '../../support/tenant.ts';

let database: TestDatabase;
let tenant: Tenant;
let agent: Agent;

beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(async () => {
  tenant = await createTenant(database.db, testMasterKeys());
  agent = await tenant.agent();
});
afterAll(() => database.drop());

const remote: Partial<FrozenServer> = {
  shape: { type: 'remote', url: 'https://far.test/mcp' },
  sign_in: 'oauth',
};
/** Driven by Max, unless `people` says otherwise. */
async function sessionWith(server: Partial<FrozenServer>, people: object = {}): Promise<Session> {
  const session = await freezeGates(database.db, await tenant.session(agent), agent, server);
  if (Object.keys(people).length > 0) {
    await database.db('sessions').where({ id: session.id }).update(people);
  }
  return session;
}
const ofOther = () => ({ granted_by_user_id: tenant.ada.id, granted_by_role: 'member' as const });
const ofAdmin = () => ({ ...ofOther(), granted_by_role: 'admin' as const });
const ofDriver = () => ({ granted_by_user_id: tenant.max.id, granted_by_role: 'member' as const });

/** Whether a call passes, by the statement for one call and, where the grant stands, by that for many. */
async function passes(session: Session, scope: string): Promise<boolean> {
  const many = callOf(session);
  const standing = await checkStanding(database.db, session.id, [many]);
  const one = (await passOn(database.db, callOf(session))) !== null;
  if (scope !== 'once') {
    expect(standing.has(many.callId)).toBe(one);
  }
  return one;
}

describe.each(['once', 'session', 'persistent'] as const)('a %s grant that the agent holds', (scope) => {
  const grant = (session: Session, content: Parameters<typeof giveGrant>[2]) =>
    giveGrant(database.db, session, { scope, ...content });

  it.each([
    ['another member made it', ofOther, false],
    ['an admin made it', ofAdmin, true],
    ['the person made it who signed in', ofDriver, true],
  ])('where %s', async (_who, by, counts) => {
    const session = await sessionWith(remote);
    await grant(session, by());
    expect(await passes(session, scope)).toBe(counts);
  });

  it.each([
    ['nobody signs in to', { ...remote, sign_in: 'none' }, true],
    ['has a credential of its own', { ...remote, sign_in: 'headers' }, true],
    ['runs here', {}, true],
    ['may ask for a sign-in, as far as the session knows', { ...remote, sign_in: null }, false],
  ] as const)('of another member, for a server that %s', async (_which, server, counts) => {
    const session = await sessionWith(server);
    await grant(session, ofOther());
    expect(await passes(session, scope)).toBe(counts);
  });

  it('counts in a child session where the person at the root made it', async () => {
    const people = () => ({ operator_id: null, root_operator_id: tenant.max.id });
    const child = await sessionWith(remote, people());
    await grant(child, ofOther());
    expect(await passes(child, scope)).toBe(false);
    await grant(child, ofDriver());
    expect(await passes(child, scope)).toBe(true);
  });

  it('counts in a session that nobody started where an admin made it', async () => {
    const session = await sessionWith(remote, { operator_id: null, root_operator_id: null });
    await grant(session, ofDriver());
    expect(await passes(session, scope)).toBe(false);
    await grant(session, ofAdmin());
    expect(await passes(session, scope)).toBe(true);
  });
});

describe('a call of such a tool', () => {
  it('passes on a grant that the person holds who signed in', async () => {
    const session = await sessionWith(remote);
    await giveGrant(database.db, session, {
      user_subject_id: tenant.max.id,
      scope: 'persistent',
      ...ofDriver(),
    });
    expect(await passes(session, 'persistent')).toBe(true);
  });

  it('uses nothing of another member up, and passes on the next grant that counts', async () => {
    const session = await sessionWith(remote);
    const planted = await giveGrant(database.db, session, { scope: 'once', ...ofOther() });
    const own = await giveGrant(database.db, session, { scope: 'once', ...ofDriver() });
    expect(await passOn(database.db, callOf(session))).toEqual({ grantId: own.id });
    expect(await passOn(database.db, callOf(session))).toBeNull();
    expect(await database.db('grants').where({ id: planted.id }).first('consumed_at')).toEqual({
      consumed_at: null,
    });
  });

  it('keeps its answer when its check is repeated', async () => {
    const session = await sessionWith(remote);
    const own = await giveGrant(database.db, session, { scope: 'once', ...ofDriver() });
    const call = callOf(session, { callId: randomUUID() });
    expect(await passOn(database.db, call)).toEqual({ grantId: own.id });
    expect(await passOn(database.db, call)).toEqual({ grantId: own.id });
  });
});
