import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { revokeGrant } from '../../../commands/grants/revoke.ts';
import { askForPermission } from '../../../commands/permission-requests/ask.ts';
import { createSession } from '../../../commands/sessions/create.ts';
import { moveSession } from '../../../commands/sessions/move.ts';
import type { Agent } from '../../../contract/agent.ts';
import type { Session } from '../../../contract/session.ts';
import { readAgent } from '../../../store/agents/agents.ts';
import { readGrant } from '../../../store/grants/read.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { callKeys, callOf, freezeGates, giveGrant, grantFor, passOn } from '../../support/granted.ts';
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
  agent = await tenant.agent();
  session = await frozenSession();
});
afterAll(() => database.drop());

const give = (content: Parameters<typeof giveGrant>[2] = {}) => giveGrant(database.db, session, content);
const frozenSession = async () => freezeGates(database.db, await tenant.session(agent), agent);
const check = (call = callOf(session)) => passOn(database.db, call);
const system = { type: 'system', id: null } as const;

describe('a gated call', () => {
  it('is refused without a grant', async () => {
    expect(await check()).toBeNull();
  });

  it('passes once on a once grant, and the audit trail names it', async () => {
    const grant = await give();
    const call = callOf(session);
    expect(await check(call)).toEqual({ grantId: grant.id });
    expect(await check()).toBeNull();
    expect((await readGrant(database.db, grant.id))?.consumed_at).not.toBeNull();
    const consumed = await database
      .db('audit_events')
      .where({ event: 'grant.consumed', resource_id: grant.id });
    expect(consumed).toMatchObject([
      {
        actor_type: 'agent',
        actor_id: agent.id,
        session_id: session.id,
        resource_name: 'tool_scope files.write',
        data: { call_id: call.callId, scope: 'once', details: { scope: 'files.write' } },
      },
    ]);
  });

  it('uses lasting grants before once grants, and the oldest first', async () => {
    const [older, newer] = [await give(), await give()];
    const persistent = await give({ scope: 'persistent' });
    const ofSession = await give({ scope: 'session' });
    expect(await check()).toEqual({ grantId: persistent.id });
    await revokeGrant(database.db, persistent.id, system);
    expect(await check()).toEqual({ grantId: ofSession.id });
    await revokeGrant(database.db, ofSession.id, system);
    expect(await check()).toEqual({ grantId: older.id });
    expect(await check()).toEqual({ grantId: newer.id });
    expect(await check()).toBeNull();
  });

  it('passes on a grant of the user who drives the session, not of another user', async () => {
    await give({ user_subject_id: tenant.ada.id, scope: 'persistent' });
    expect(await check()).toBeNull();
    const own = await give({ user_subject_id: tenant.max.id, scope: 'persistent' });
    expect(await check()).toEqual({ grantId: own.id });
  });

  describe('of a child session', () => {
    async function childOf(agent: Agent) {
      const child = await createSession(database.db, {
        id: randomUUID(),
        workspaceId: session.workspace_id,
        agentId: agent.id,
        operatorId: null,
        rootOperatorId: tenant.max.id,
        parentSessionId: session.id,
        prompt: '',
      });
      return freezeGates(database.db, child, agent);
    }

    it('does not pass on a grant of the human above', async () => {
      await give({ user_subject_id: tenant.max.id, scope: 'persistent' });
      expect(await check(callOf(await childOf(await tenant.agent())))).toBeNull();
    });

    it('does not pass on what the parent was granted, also when both are of one agent', async () => {
      await give({ scope: 'session' });
      const own = await readAgent(database.db, session.agent_id);
      const children = [await childOf(await tenant.agent()), await childOf(own as Agent)];
      for (const child of children) {
        expect(await check(callOf(child))).toBeNull();
      }
      expect(await check()).not.toBeNull();
    });

    it('does not pass on a lasting grant of another agent, such as that of the parent', async () => {
      await give({ scope: 'persistent' });
      expect(await check(callOf(await childOf(await tenant.agent())))).toBeNull();
    });
  });

  it.each([
    ['another scope', { details: { scope: 'files.remove' } }],
    ['a broader-looking scope', { details: { scope: 'files.write.all' } }],
  ])('does not pass on %s', async (_what, content) => {
    await give({ ...content, scope: 'persistent' });
    expect(await check()).toBeNull();
  });

  it('does not pass on a row whose details do not parse', async () => {
    const { details: _, ...row } = grantFor(session, { scope: 'persistent' });
    await database.db('grants').insert({ ...row, details: '{"scope":"files.write","also":true}' });
    expect(await check()).toBeNull();
  });

  it('does not pass on the grant of another session', async () => {
    const other = await frozenSession();
    await give({ scope: 'session', session_id: other.id });
    expect(await check()).toBeNull();
    expect(await check(callOf(other))).not.toBeNull();
  });

  it('passes on no grant once the session has ended', async () => {
    await give({ scope: 'persistent' });
    await give({ scope: 'session' });
    await give();
    expect(await check()).not.toBeNull();
    await moveSession(database.db, session.id, { to: 'completed', reason: null });
    expect(await check()).toBeNull();
  });

  it('does not pass on a grant of the same user in another workspace', async () => {
    const other = await createTenant(database.db, testMasterKeys());
    const theirs = await other.session(await other.agent());
    await giveGrant(database.db, theirs, { user_subject_id: tenant.max.id, scope: 'persistent' });
    expect(await check()).toBeNull();
  });
});

describe('a once grant that answers a request', () => {
  const limits = { openRequests: 10, denialMuteSeconds: 600, expirySeconds: 3600 };
  const bound = async () => {
    const requestId = randomUUID();
    await askForPermission(
      database.db,
      callKeys,
      session.id,
      {
        request_id: requestId,
        grant_type: 'tool_scope',
        details: { scope: 'files.write' },
        scope: 'once',
        justification: '',
        refused_call: { server: 'files', tool: 'write_file' },
      },
      limits,
    );
    return give({ request_id: requestId });
  };

  it('is valid only for the requesting session and the refused call', async () => {
    const grant = await bound();
    expect(grant.bound_to).toEqual({
      session_id: session.id,
      server: 'files',
      tool: 'write_file',
      call_digest: null,
    });
    expect(await check(callOf(await frozenSession()))).toBeNull();
    expect(await check(callOf(session, { tool: 'edit_file' }))).toBeNull();
    expect(await check(callOf(session, { server: 'other' }))).toBeNull();
    expect(await check()).toEqual({ grantId: grant.id });
  });
});

describe('the same call id', () => {
  it('checked again returns the same answer and consumes nothing more', async () => {
    const [first, second] = [await give(), await give()];
    const call = callOf(session);
    expect(await check(call)).toEqual({ grantId: first.id });
    expect(await check(call)).toEqual({ grantId: first.id });
    expect((await readGrant(database.db, second.id))?.consumed_at).toBeNull();
  });

  it('checked several times concurrently never consumes a second grant', async () => {
    for (let round = 0; round < 50; round += 1) {
      const grants = [await give(), await give(), await give()];
      const call = callOf(session);
      const answers = await Promise.all([check(call), check(call), check(call)]);
      expect(new Set(answers.map((answer) => answer?.grantId)).size).toBe(1);
      const left = await database
        .db('grants')
        .whereNull('consumed_at')
        .whereIn(
          'id',
          grants.map(({ id }) => id),
        );
      expect(left).toHaveLength(2);
      await database
        .db('grants')
        .whereIn(
          'id',
          grants.map(({ id }) => id),
        )
        .delete();
    }
  });

  it('checked again after its grant was revoked is refused', async () => {
    const grant = await give({ scope: 'persistent' });
    const call = callOf(session);
    expect(await check(call)).not.toBeNull();
    await revokeGrant(database.db, grant.id, system);
    expect(await check(call)).toBeNull();
  });

  it('for another tool or session is refused, and consumes nothing', async () => {
    await give();
    const spare = await give();
    const call = callOf(session);
    await check(call);
    expect(await check({ ...call, tool: 'edit_file' })).toBeNull();
    expect(await check({ ...callOf(await frozenSession()), callId: call.callId })).toBeNull();
    expect((await readGrant(database.db, spare.id))?.consumed_at).toBeNull();
  });
});

describe('races', () => {
  it('for one once grant have exactly one winner, round after round', async () => {
    for (let round = 0; round < 250; round += 1) {
      const grant = await give();
      const racers = Array.from({ length: 2 + (round % 3) }, () => check());
      const winners = (await Promise.all(racers)).filter((answer) => answer !== null);
      expect(winners).toEqual([{ grantId: grant.id }]);
    }
  });

  it('for as many once grants as calls refuse no call', async () => {
    for (let round = 0; round < 30; round += 1) {
      const grants = await Promise.all(Array.from({ length: 4 }, () => give()));
      const answers = await Promise.all(grants.map(() => check()));
      expect(new Set(answers.map((answer) => answer?.grantId))).toEqual(new Set(grants.map(({ id }) => id)));
    }
  });

  it('between a revocation and checks: no check that begins after its acknowledgement passes', async () => {
    for (let round = 0; round < 100; round += 1) {
      const grant = await give({ scope: round % 2 === 0 ? 'persistent' : 'once' });
      const racing = check();
      const revoked = revokeGrant(database.db, grant.id, system).then(async (changed) => {
        return { changed, after: await check() };
      });
      const [raced, { changed, after }] = await Promise.all([racing, revoked]);
      expect(after).toBeNull();
      const row = await readGrant(database.db, grant.id);
      if (grant.scope === 'once') {
        // Consumed or revoked, never both: either the call came first, or the revoke.
        expect(row?.consumed_at !== null).toBe(raced !== null);
        expect(changed).toBe(raced === null);
        expect(row?.revoked_at !== null).toBe(changed);
      } else {
        expect(changed).toBe(true);
      }
    }
  });

  it('a check that waits for a revocation in flight sees it', async () => {
    const grant = await give({ scope: 'persistent' });
    const revoke = await database.db.transaction();
    await revokeGrant(revoke, grant.id, system);
    let answered = false;
    const waiting = check().finally(() => {
      answered = true;
    });
    const blocked = () =>
      database.db('pg_stat_activity').where({
        datname: database.db.raw('current_database()'),
        wait_event_type: 'Lock',
      });
    await eventually(async () => expect(answered || (await blocked()).length > 0).toBe(true));
    const answeredEarly = answered;
    await revoke.commit();
    expect(await waiting).toBeNull();
    expect(answeredEarly).toBe(false);
  });
});
