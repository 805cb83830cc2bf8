/**
 * Persistent grants that end by themselves: compared with the clock at the moment at which a call
 * passes, whatever it waited for.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Agent } from '../../../contract/agent.ts';
import type { Grant } from '../../../contract/grant.ts';
import type { Session } from '../../../contract/session.ts';
import { isUsed, lockActiveGrant } from '../../../store/grants/change.ts';
import { checkStanding } from '../../../store/grants/check-standing.ts';
import { readGrantContexts } from '../../../store/grants/context.ts';
import { listActiveGrantsOfSession, listGrants } from '../../../store/grants/read.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { callOf, freezeGates, giveGrant, passOn, untilOver } from '../../support/granted.ts';
import { createTenant, type Tenant, testMasterKeys } from '../../support/tenant.ts';

let database: TestDatabase;
let tenant: Tenant;
let agent: Agent;
let session: Session;

beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(async () => {
  tenant = await createTenant(database.db, testMasterKeys());
  agent = await tenant.agent({ kind: 'orchestrator' });
  session = await freezeGates(database.db, await tenant.session(agent), agent);
});
afterAll(() => database.drop());

const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();
const give = (content: Parameters<typeof giveGrant>[2]) =>
  giveGrant(database.db, session, { scope: 'persistent', ...content });
/** What nobody can do but a superuser: no test waits for a time that a slow machine would miss. */
const endTimeOf = (id: string) =>
  database.db.transaction(async (trx) => {
    await trx.raw('set local session_replication_role = replica');
    await trx.raw(`update grants set expires_at = now() - interval '1 second' where id = ?`, [id]);
  });
const standing = async (call: Parameters<typeof checkStanding>[2][number]) =>
  (await checkStanding(database.db, session.id, [call])).get(call.callId) ?? null;

/** What is begun while the row of the grant, or of its session, is locked until the grant's time is over. */
async function heldUntilOver<Answer>(
  table: 'grants' | 'sessions',
  grant: Grant,
  work: () => Promise<Answer>,
): Promise<Answer> {
  const held = await database.db.transaction();
  const { id } = table === 'grants' ? grant : session;
  await held(table).where({ id }).forUpdate().first('id');
  const answer = work();
  await untilOver(database.db, grant.expires_at);
  await held.rollback();
  return answer;
}

describe('a persistent grant with an end', () => {
  it('lets calls pass until then, and none afterwards', async () => {
    const grant = await give({ expires_at: inSeconds(3600) });
    expect(await passOn(database.db, callOf(session))).toEqual({ grantId: grant.id });
    expect(await standing(callOf(session))).toBe(grant.id);
    await endTimeOf(grant.id);
    expect(await passOn(database.db, callOf(session))).toBeNull();
    expect(await standing(callOf(session))).toBeNull();
    const contexts = await readGrantContexts(database.db, [grant.id]);
    expect(contexts.get(grant.id)).toMatchObject({ state: 'expired', useCount: 2 });
    const inState = async (state: 'active' | 'expired') =>
      (
        await listGrants(
          database.db,
          tenant.workspace.id,
          { state, includeRevoked: true },
          { limit: 10, cursor: undefined },
        )
      ).items.map(({ id }) => id);
    expect([await inState('active'), await inState('expired')]).toEqual([[], [grant.id]]);
  });

  it('keeps the answer of a call that passed, and not of one that was not forwarded', async () => {
    const grant = await give({ expires_at: inSeconds(3600) });
    const [one, many] = [callOf(session), callOf(session)];
    expect(await passOn(database.db, one)).toEqual({ grantId: grant.id });
    expect(await standing(many)).toBe(grant.id);
    await endTimeOf(grant.id);
    expect(await passOn(database.db, one)).toEqual({ grantId: grant.id });
    expect(await standing(many)).toBe(grant.id);
    expect(await passOn(database.db, { ...one, unforwarded: true })).toBeNull();
    expect(await standing({ ...many, unforwarded: true })).toBeNull();
  });

  it('lets no call pass that waited for its row until the end', async () => {
    const grant = await give({ expires_at: inSeconds(4) });
    const answer = await heldUntilOver('grants', grant, () => passOn(database.db, callOf(session)));
    expect(answer).toBeNull();
    expect(await database.db('grant_uses').where({ grant_id: grant.id })).toEqual([]);
  });

  it('leaves a call that waited for its row until the end to another grant that fits', async () => {
    const grant = await give({ expires_at: inSeconds(4) });
    const other = await give({ scope: 'session', session_id: session.id });
    const answer = await heldUntilOver('grants', grant, () => passOn(database.db, callOf(session)));
    expect(answer).toEqual({ grantId: other.id });
  });

  it('lets no call pass that waited for its session until the end', async () => {
    const grant = await give({ expires_at: inSeconds(4) });
    const answers = await heldUntilOver('sessions', grant, () =>
      Promise.all([passOn(database.db, callOf(session)), standing(callOf(session))]),
    );
    expect(answers).toEqual([null, null]);
    expect(await database.db('grant_uses').where({ grant_id: grant.id })).toEqual([]);
  });

  it('starts nothing and gives no secret after it, also to a session that used it', async () => {
    const grant = await give({
      grant_type: 'spawn',
      details: { child_agent_id: agent.id },
      expires_at: inSeconds(3600),
    });
    const call = callOf(session);
    await database
      .db('grant_uses')
      .insert({ call_id: call.callId, grant_id: grant.id, session_id: session.id, server: 'p', tool: 't' });
    const seen = () =>
      database.db.transaction(async (trx) => [
        await lockActiveGrant(trx, grant.id),
        await isUsed(trx, call.callId),
        (await listActiveGrantsOfSession(trx, session.id, 'spawn')).length,
      ]);
    expect(await seen()).toEqual([true, true, 1]);
    await endTimeOf(grant.id);
    expect(await seen()).toEqual([false, false, 0]);
  });

  it('has an end that is written once, and no other grant has one', async () => {
    const grant = await give({ expires_at: inSeconds(3600) });
    for (const at of [null, inSeconds(7200)]) {
      await expect(database.db('grants').where({ id: grant.id }).update({ expires_at: at })).rejects.toThrow(
        'audit side',
      );
    }
    for (const scope of ['once', 'session'] as const) {
      await expect(give({ scope, expires_at: inSeconds(3600) })).rejects.toThrow('grants_expire');
    }
  });
});
