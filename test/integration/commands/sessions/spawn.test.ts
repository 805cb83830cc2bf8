/**
 * The start of child sessions on a real database: under which grant, within which limits, and in which races.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { revokeGrant } from '../../../../commands/grants/revoke.ts';
import { createWithinQuotas, type Spawned, type SpawnQuotas } from '../../../../commands/sessions/create.ts';
import { moveSession } from '../../../../commands/sessions/move.ts';
import type { Agent } from '../../../../contract/agent.ts';
import type { Session } from '../../../../contract/session.ts';
import { systemActor } from '../../../../contract/session-event.ts';
import { inTransaction } from '../../../../store/database.ts';
import { readGrant } from '../../../../store/grants/read.ts';
import { readRequestedEnding, requestEnding } from '../../../../store/sessions/sessions.ts';
import { createTestDatabase, type TestDatabase } from '../../../support/database.ts';
import { childOf, grantSpawn, rootSession, spawn, wideQuotas } from '../../../support/session-trees.ts';
import { createTenant, type Tenant, testMasterKeys } from '../../../support/tenant.ts';

let database: TestDatabase;
let tenant: Tenant;
let parent: Session;
let parentAgent: Agent;
let child: Agent;

beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(async () => {
  tenant = await createTenant(database.db, testMasterKeys());
  ({ session: parent, agent: parentAgent } = await rootSession(database.db, tenant));
  child = await tenant.agent();
});
afterAll(() => database.drop());

const start = (options: Parameters<typeof spawn>[3] = {}) => spawn(database.db, parent, child, options);
const childrenOf = (id: string) =>
  database.db('sessions').where({ parent_session_id: id }).orderBy('created_at').select('id', 'status');
const auditOf = (sessionId: string) =>
  database
    .db('audit_events')
    .where({ session_id: sessionId })
    .orderBy('position')
    .select('event', 'data', 'actor_id');
const revoke = (id: string) =>
  inTransaction(database.db, (trx) => revokeGrant(trx, id, { type: 'user', id: tenant.ada.id }));
const started = (spawned: Spawned): Session => {
  if (spawned.result !== 'spawned') {
    throw new Error(spawned.result);
  }
  return spawned.session;
};
const countOf = (answers: readonly Spawned[], result: Spawned['result']) =>
  answers.filter((answer) => answer.result === result).length;

describe('under a grant', () => {
  it('a child starts, of the same workspace and person, which nobody drives', async () => {
    const grant = await grantSpawn(database.db, parent, child);
    const session = started(await start());
    expect(session).toMatchObject({
      workspace_id: parent.workspace_id,
      agent_id: child.id,
      parent_session_id: parent.id,
      operator_id: null,
      root_operator_id: tenant.max.id,
      status: 'pending',
    });
    expect(await database.db('child_sessions').where({ session_id: session.id })).toEqual([
      { session_id: session.id, grant_id: grant.id, label: null },
    ]);
    expect(await auditOf(session.id)).toEqual([
      {
        event: 'session.created',
        actor_id: parent.agent_id,
        data: {
          agent_id: child.id,
          parent_session_id: parent.id,
          root_operator_id: tenant.max.id,
          granted_via: grant.id,
        },
      },
    ]);
    expect(
      await database.db('session_events').where({ session_id: parent.id, type: 'child.started' }),
    ).toMatchObject([
      { actor_id: parent.agent_id, payload: { session_id: session.id, agent_id: child.id, label: null } },
    ]);
    expect(await database.db('grant_uses').where({ grant_id: grant.id })).toMatchObject([
      { session_id: parent.id, server: 'platform', tool: 'spawn_session' },
    ]);
  });

  it.each([
    ['without any grant', async () => undefined],
    ['under a grant for another agent', async () => grantSpawn(database.db, parent, await tenant.agent())],
    [
      'under a grant that another agent holds',
      async () => grantSpawn(database.db, parent, child, { agent_subject_id: child.id }),
    ],
    [
      'under a grant for another session of its agent',
      async () => {
        const other = await tenant.session(parentAgent);
        await grantSpawn(database.db, parent, child, { scope: 'session', session_id: other.id });
      },
    ],
    [
      'under a tool grant that names the same',
      async () =>
        grantSpawn(database.db, parent, child, {
          grant_type: 'tool_scope',
          details: { scope: 'platform.spawn' },
        }),
    ],
    ['under a revoked grant', async () => revoke((await grantSpawn(database.db, parent, child)).id)],
    [
      'under a grant of another workspace',
      async () => {
        const other = await createTenant(database.db, testMasterKeys());
        const theirs = await rootSession(database.db, other);
        await grantSpawn(database.db, theirs.session, await other.agent(), {
          details: { child_agent_id: child.id },
        });
      },
    ],
  ])('no child starts %s', async (_how, arrange) => {
    await arrange();
    expect(await start()).toEqual({ result: 'permission_required' });
    expect(await childrenOf(parent.id)).toEqual([]);
  });

  it('no child starts of an agent of another workspace, whatever the grant says', async () => {
    const other = await createTenant(database.db, testMasterKeys());
    const foreign = await other.agent();
    await grantSpawn(database.db, parent, foreign);
    expect(await spawn(database.db, parent, foreign)).toEqual({ result: 'no_such_agent' });
    await database.db('agents').where({ id: child.id }).delete();
    expect(await start()).toEqual({ result: 'no_such_agent' });
  });

  it('of the parent a child starts nothing', async () => {
    const middle = await childOf(database.db, parent, parentAgent);
    const held = await grantSpawn(database.db, parent, child, { scope: 'session', session_id: parent.id });
    expect(await spawn(database.db, middle, child)).toEqual({ result: 'permission_required' });
    expect(started(await start()).parent_session_id).toBe(parent.id);
    expect(await readGrant(database.db, held.id)).toMatchObject({ consumed_at: null });
  });

  it('that is bound to a tool, no child starts', async () => {
    const grant = await grantSpawn(database.db, parent, child, { scope: 'once' });
    await database.db.raw('alter table grants disable trigger user');
    await database
      .db('grants')
      .where({ id: grant.id })
      .update({ bound_session_id: parent.id, bound_server: 'files', bound_tool: 'write_file' });
    await database.db.raw('alter table grants enable trigger user');
    expect(await start()).toEqual({ result: 'permission_required' });
  });
});

describe('a grant for one child', () => {
  it('is used up with its child, and not while a wider one fits', async () => {
    const wide = await grantSpawn(database.db, parent, child, { scope: 'session', session_id: parent.id });
    const once = await grantSpawn(database.db, parent, child, { scope: 'once' });
    started(await start());
    expect(await readGrant(database.db, once.id)).toMatchObject({ consumed_at: null });
    await revoke(wide.id);
    const second = started(await start());
    expect(await readGrant(database.db, once.id)).toMatchObject({ consumed_at: expect.any(String) });
    expect(await start()).toEqual({ result: 'permission_required' });
    const consumed = await database
      .db('audit_events')
      .where({ event: 'grant.consumed', resource_id: once.id });
    expect(consumed).toMatchObject([{ session_id: parent.id, actor_id: parent.agent_id }]);
    expect((await auditOf(second.id))[0]?.data).toMatchObject({ granted_via: once.id });
  });

  it('starts one child, of many calls at once, in several sessions of its agent', async () => {
    const sibling = await tenant.session(parentAgent);
    await grantSpawn(database.db, parent, child, { scope: 'once' });
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, at) => spawn(database.db, at % 2 === 0 ? parent : sibling, child)),
    );
    expect(countOf(answers, 'spawned')).toBe(1);
    expect(countOf(answers, 'permission_required')).toBe(11);
    expect([...(await childrenOf(parent.id)), ...(await childrenOf(sibling.id))]).toHaveLength(1);
  });

  it('is not used up when a limit refuses', async () => {
    const once = await grantSpawn(database.db, parent, child, { scope: 'once' });
    await expect(start({ quotas: { LIMIT_RUNNING_CHILDREN_PER_SESSION: 0 } })).rejects.toThrow(
      'running children',
    );
    expect(await readGrant(database.db, once.id)).toMatchObject({ consumed_at: null });
    expect(await database.db('grant_uses').where({ grant_id: once.id })).toEqual([]);
    expect(
      await database.db('audit_events').where({ event: 'grant.consumed', resource_id: once.id }),
    ).toEqual([]);
    started(await start());
  });

  it('that is revoked at the same time starts no child after the revocation was answered', async () => {
    for (let round = 0; round < 20; round += 1) {
      const grant = await grantSpawn(database.db, parent, child);
      const before = start();
      await revoke(grant.id);
      expect(await start()).toEqual({ result: 'permission_required' });
      expect(['spawned', 'permission_required']).toContain((await before).result);
    }
  });
});

describe('a call that is sent again', () => {
  it('is answered with its child, whatever changed since', async () => {
    const callId = randomUUID();
    const once = await grantSpawn(database.db, parent, child, { scope: 'once' });
    const first = started(await start({ callId }));
    await revoke((await grantSpawn(database.db, parent, child)).id);
    expect(started(await start({ callId, quotas: { LIMIT_SESSIONS_PER_TREE: 1 } })).id).toBe(first.id);
    await moveSession(database.db, parent.id, { to: 'failed', reason: 'lost' });
    await moveSession(database.db, first.id, { to: 'terminated', reason: 'ended' });
    expect(started(await start({ callId }))).toMatchObject({ id: first.id, status: 'terminated' });
    expect(await database.db('grant_uses').where({ grant_id: once.id })).toHaveLength(1);
    expect(await childrenOf(parent.id)).toHaveLength(1);
  });

  it('many times at once starts one child', async () => {
    const callId = randomUUID();
    await grantSpawn(database.db, parent, child, { scope: 'once' });
    const answers = await Promise.all(Array.from({ length: 10 }, () => start({ callId })));
    expect(new Set(answers.map((answer) => started(answer).id)).size).toBe(1);
    expect(await childrenOf(parent.id)).toHaveLength(1);
  });

  it('is another call in another session', async () => {
    const callId = randomUUID();
    const sibling = await tenant.session(parentAgent);
    await grantSpawn(database.db, parent, child);
    const [mine, theirs] = [
      started(await start({ callId })),
      started(await spawn(database.db, sibling, child, { callId })),
    ];
    expect(theirs.id).not.toBe(mine.id);
    expect(theirs.parent_session_id).toBe(sibling.id);
  });
});

describe('limits', () => {
  it('end agents that start each other at the depth', async () => {
    const other = await tenant.agent({ kind: 'orchestrator' });
    let session = parent;
    for (const agent of [other, parentAgent, other]) {
      session = await childOf(database.db, session, agent);
    }
    await grantSpawn(database.db, session, parentAgent);
    await expect(spawn(database.db, session, parentAgent)).rejects.toThrow(
      'The limit is 3 levels of sessions below the first; do this work here instead',
    );
  });

  it('count running children, of which one that ended frees its place', async () => {
    await grantSpawn(database.db, parent, child);
    const quotas = { LIMIT_RUNNING_CHILDREN_PER_SESSION: 2 };
    const first = started(await start({ quotas }));
    started(await start({ quotas }));
    await expect(start({ quotas })).rejects.toThrow('The limit is 2 running children per session');
    await moveSession(database.db, first.id, { to: 'completed', reason: 'done' });
    started(await start({ quotas }));
  });

  it('count the sessions of a tree, also those that have ended', async () => {
    const middle = await childOf(database.db, parent, parentAgent);
    await grantSpawn(database.db, parent, child);
    const quotas = { LIMIT_SESSIONS_PER_TREE: 3 };
    const third = started(await spawn(database.db, middle, child, { quotas }));
    await moveSession(database.db, third.id, { to: 'completed', reason: 'done' });
    await expect(start({ quotas })).rejects.toThrow('The limit is 3 sessions in a tree');
  });

  it.each<[string, Partial<SpawnQuotas>, string]>([
    ['running sessions of the person', { LIMIT_RUNNING_SESSIONS_PER_USER: 1 }, 'running sessions per user'],
    [
      'running sessions of the workspace',
      { LIMIT_RUNNING_SESSIONS_PER_WORKSPACE: 1 },
      'running sessions per workspace',
    ],
    ['new sessions of the workspace', { RATE_SESSIONS_PER_HOUR_PER_WORKSPACE: 1 }, 'an hour per workspace'],
  ])('are those of the quotas: %s', async (_what, quotas, sentence) => {
    await grantSpawn(database.db, parent, child);
    await expect(start({ quotas })).rejects.toThrow(sentence);
    expect(await childrenOf(parent.id)).toEqual([]);
  });

  it('count children among the new sessions of the person at the root, also once they are gone', async () => {
    await grantSpawn(database.db, parent, child);
    const quotas = { RATE_SESSIONS_PER_HOUR_PER_USER: 3 };
    const ids = [started(await start({ quotas })).id, started(await start({ quotas })).id];
    await database.db('sessions').whereIn('id', ids).delete();
    await expect(start({ quotas })).rejects.toThrow('The limit is 3 new sessions an hour per user');
    const own = { id: randomUUID(), workspaceId: parent.workspace_id, agentId: child.id, prompt: 'Do it' };
    const driven = {
      ...own,
      operatorId: tenant.max.id,
      rootOperatorId: tenant.max.id,
      parentSessionId: null,
    };
    await expect(createWithinQuotas(database.db, driven, { ...wideQuotas, ...quotas })).rejects.toThrow(
      'new sessions an hour per user',
    );
    const adas = { ...driven, operatorId: tenant.ada.id, rootOperatorId: tenant.ada.id };
    await createWithinQuotas(database.db, adas, { ...wideQuotas, ...quotas });
  });

  it('hold for 200 calls at once: exactly as many children, and an answer to each', async () => {
    await grantSpawn(database.db, parent, child);
    const quotas = { LIMIT_RUNNING_CHILDREN_PER_SESSION: 10 };
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => start({ quotas }).catch((error: Error) => error.message)),
    );
    expect(answers.filter((answer) => typeof answer === 'object')).toHaveLength(10);
    expect(
      answers.filter((answer) => typeof answer === 'string' && answer.includes('10 running children')),
    ).toHaveLength(190);
    expect(await childrenOf(parent.id)).toHaveLength(10);
  });
});

describe('at the end of its parent', () => {
  it.each([
    ['has ended', () => moveSession(database.db, parent.id, { to: 'completed', reason: 'done' })],
    [
      'was asked to end',
      () =>
        requestEnding(database.db, parent.id, {
          by: systemActor,
          status: 'terminated',
          reason: 'x',
          summary: null,
        }),
    ],
  ])('no child starts of a parent that %s', async (_what, end) => {
    const once = await grantSpawn(database.db, parent, child, { scope: 'once' });
    await end();
    expect(await start()).toEqual({ result: 'session_ended' });
    expect(await readGrant(database.db, once.id)).toMatchObject({ consumed_at: null });
  });

  it('a child that starts at the same time is asked to end, or never started', async () => {
    for (let round = 0; round < 20; round += 1) {
      const { session } = await rootSession(database.db, tenant);
      await grantSpawn(database.db, session, child);
      const [answer] = await Promise.all([
        spawn(database.db, session, child),
        moveSession(database.db, session.id, { to: 'terminated', reason: 'ended' }),
      ]);
      const children = await childrenOf(session.id);
      expect(children).toHaveLength(answer.result === 'spawned' ? 1 : 0);
      for (const { id } of children) {
        expect(await readRequestedEnding(database.db, id)).toMatchObject({ status: 'terminated' });
      }
    }
  });
});
