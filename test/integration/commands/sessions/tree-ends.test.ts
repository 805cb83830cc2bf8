/** What the end of a session means above and below it, and that nothing in a tree waits for itself. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { removeAgent } from '../../../../commands/agents/archive.ts';
import { putMember, removeMember } from '../../../../commands/members/members.ts';
import { askForPermission } from '../../../../commands/permission-requests/ask.ts';
import { sendBetweenSessions } from '../../../../commands/session-inputs/messages.ts';
import { endSession, moveSession } from '../../../../commands/sessions/move.ts';
import type { Agent } from '../../../../contract/agent.ts';
import type { Session } from '../../../../contract/session.ts';
import { systemActor } from '../../../../contract/session-event.ts';
import { listSessionInputs } from '../../../../store/session-inputs/inputs.ts';
import { readIdleState } from '../../../../store/sessions/activity.ts';
import { listUntoldSessions } from '../../../../store/sessions/list.ts';
import { readRequestedEnding, readSession, requestEnding } from '../../../../store/sessions/sessions.ts';
import { createTestDatabase, type TestDatabase } from '../../../support/database.ts';
import { callKeys } from '../../../support/granted.ts';
import { childOf, rootSession, spawn } from '../../../support/session-trees.ts';
import { createTenant, type Tenant, testMasterKeys } from '../../../support/tenant.ts';

let database: TestDatabase;
let tenant: Tenant;
let root: Session;
let orchestrator: Agent;

beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(async () => {
  tenant = await createTenant(database.db, testMasterKeys());
  ({ session: root, agent: orchestrator } = await rootSession(database.db, tenant));
});
afterAll(() => database.drop());

const observed = { status: 'failed', reason: 'Its workload was lost' } as const;
const askToEnd = (id: string, reason: string) =>
  requestEnding(database.db, id, { by: systemActor, status: 'terminated', reason, summary: null });
const inputsOf = (id: string) => listSessionInputs(database.db, id, { after: 0 });
const endedBelow = (id: string) =>
  database
    .db('session_events')
    .where({ session_id: id, type: 'child.ended' })
    .orderBy('seq')
    .select('payload');

describe('the end of a parent', () => {
  it.each(['completed', 'failed', 'terminated'] as const)(
    'asks its children to end when it %s',
    async (status) => {
      const children = [
        await childOf(database.db, root, orchestrator),
        await childOf(database.db, root, await tenant.agent()),
      ];
      const below = await childOf(database.db, children[0] ?? root, await tenant.agent());
      await endSession(database.db, root.id, { status, reason: 'over' });
      for (const { id } of children) {
        expect(await readRequestedEnding(database.db, id)).toEqual({
          by: systemActor,
          status: 'terminated',
          reason: 'The session that started it has ended',
          summary: null,
        });
      }
      expect(await readRequestedEnding(database.db, below.id)).toBeNull();
      const [first] = children;
      expect(await endSession(database.db, first?.id ?? '', observed)).toMatchObject({
        status: 'terminated',
      });
      expect(await readRequestedEnding(database.db, below.id)).not.toBeNull();
    },
  );

  it('leaves a child that was asked to end before with what it was asked', async () => {
    const child = await childOf(database.db, root, await tenant.agent());
    await askToEnd(child.id, 'A person ended it');
    await moveSession(database.db, root.id, { to: 'completed', reason: 'done' });
    expect(await readRequestedEnding(database.db, child.id)).toMatchObject({ reason: 'A person ended it' });
  });

  it('changes nothing of a child that has ended, and of sessions beside it', async () => {
    const child = await childOf(database.db, root, await tenant.agent());
    await endSession(database.db, child.id, observed);
    const beside = await rootSession(database.db, tenant);
    const theirs = await childOf(database.db, beside.session, await tenant.agent());
    await moveSession(database.db, root.id, { to: 'completed', reason: 'done' });
    expect(await readSession(database.db, child.id)).toMatchObject({ status: 'failed' });
    expect(await readRequestedEnding(database.db, child.id)).toBeNull();
    expect(await readRequestedEnding(database.db, theirs.id)).toBeNull();
  });

  it('is told to its children by the sweep, when nobody else did', async () => {
    const child = await childOf(database.db, root, await tenant.agent());
    await moveSession(database.db, root.id, { to: 'failed', reason: 'lost' });
    const untold = await listUntoldSessions(database.db, { undeliveredSeconds: 30 });
    expect(untold.filter(({ id }) => id === child.id)).toEqual([{ id: child.id, signal: 'terminate' }]);
  });
});

describe('the end of a child', () => {
  it('is told to its parent once: to its people with the reason, to its agent without', async () => {
    const child = await childOf(database.db, root, await tenant.agent());
    await endSession(database.db, child.id, observed);
    await endSession(database.db, child.id, observed);
    expect(await endedBelow(root.id)).toEqual([
      { payload: { session_id: child.id, status: 'failed', reason: 'Its workload was lost' } },
    ]);
    const inputs = await inputsOf(root.id);
    expect(inputs).toMatchObject([
      {
        kind: 'child_ended',
        decision: null,
        input_request_id: null,
        sender: { relation: 'child', session_id: child.id, agent: { id: child.agent_id } },
      },
    ]);
    expect(JSON.stringify(inputs)).not.toContain('workload');
  });

  it('answers no open question of its parent', async () => {
    const child = await childOf(database.db, root, await tenant.agent());
    await database
      .db('input_requests')
      .insert({ id: randomUUID(), session_id: root.id, prompt: 'Which?', options: '[]' });
    await endSession(database.db, child.id, observed);
    expect(await database.db('input_requests').where({ session_id: root.id })).toMatchObject([
      { answered_at: null },
    ]);
  });

  it('leaves no message for a parent that has ended, but is in its transcript', async () => {
    const child = await childOf(database.db, root, await tenant.agent());
    await moveSession(database.db, root.id, { to: 'completed', reason: 'done' });
    await endSession(database.db, child.id, observed);
    expect(await inputsOf(root.id)).toEqual([]);
    expect(await endedBelow(root.id)).toMatchObject([{ payload: { status: 'terminated' } }]);
  });

  it('is told to its parent by the sweep, when its message waits too long', async () => {
    const child = await childOf(database.db, root, await tenant.agent());
    await moveSession(database.db, root.id, { to: 'running', reason: null });
    await endSession(database.db, child.id, observed);
    await database
      .db('session_inputs')
      .where({ session_id: root.id })
      .update({ at: new Date(0).toISOString() });
    const untold = await listUntoldSessions(database.db, { undeliveredSeconds: 30 });
    expect(untold.filter(({ id }) => id === root.id)).toEqual([{ id: root.id, signal: 'inputAvailable' }]);
  });
});

describe('an agent', () => {
  it('stays while a session below one of its own has not ended', async () => {
    const worker = await tenant.agent();
    const child = await childOf(database.db, root, worker);
    await moveSession(database.db, root.id, { to: 'completed', reason: 'done' });
    expect(await removeAgent(database.db, orchestrator.id, tenant.max.id)).toEqual({
      result: 'in_use',
      uses: [{ type: 'session', id: child.id, name: worker.name }],
    });
    await endSession(database.db, child.id, observed);
    expect(await removeAgent(database.db, orchestrator.id, tenant.max.id)).toMatchObject({
      result: 'removed',
    });
    expect(await readSession(database.db, child.id)).toBeNull();
    expect(await database.db('grant_uses').whereIn('session_id', [root.id, child.id])).toEqual([]);
  });
});

it('the idle clock of a parent is paused until its last child has ended', async () => {
  const waits = async () => (await readIdleState(database.db, root.id)).waiting;
  expect(await waits()).toBe(false);
  const children = [
    await childOf(database.db, root, await tenant.agent()),
    await childOf(database.db, root, await tenant.agent()),
  ];
  for (const { id } of children) {
    expect(await waits()).toBe(true);
    await endSession(database.db, id, observed);
  }
  expect(await waits()).toBe(false);
});

describe('in one tree at the same time', () => {
  const limits = { perMinute: 1000, publishedBytes: 1_000_000_000, undeliveredBytes: 1_000_000_000 };
  const message = (sender: Session, receiver: Session) =>
    sendBetweenSessions(
      database.db,
      {
        ...{ callId: randomUUID(), senderId: sender.id, receiverId: receiver.id, text: 'hello' },
        relation: receiver.parent_session_id === sender.id ? 'child' : 'parent',
      },
      limits,
    );
  const ask = (session: Session) =>
    askForPermission(
      database.db,
      callKeys,
      session.id,
      {
        ...{
          request_id: randomUUID(),
          grant_type: 'tool_scope',
          details: { scope: `files.x${randomUUID().replace(/[^a-f]/g, '')}` },
        },
        ...{ scope: 'once', justification: 'Needs it', refused_call: null },
      },
      { openRequests: 1000, denialMuteSeconds: 1, expirySeconds: 600 },
    );

  it('ends, starts, messages, requests and the removal of the person never block each other', async () => {
    for (let round = 0; round < 15; round += 1) {
      const { session } = await rootSession(database.db, tenant);
      const middles = [
        await childOf(database.db, session, orchestrator),
        await childOf(database.db, session, orchestrator),
        await childOf(database.db, session, orchestrator),
      ];
      const below = await childOf(database.db, middles[0] ?? session, orchestrator);
      const [first = session, second = session, third = session] = middles;
      // The root was asked to end before: then its row is none that a removal writes to first.
      await askToEnd(session.id, 'A person ended it');
      const by = { type: 'user', id: tenant.ada.id } as const;
      const removal = { workspaceId: tenant.workspace.id, userId: tenant.max.id, by };
      const done = await Promise.allSettled([
        message(session, first),
        message(below, first),
        message(first, below),
        message(second, session),
        spawn(database.db, first, orchestrator),
        ask(below),
        ask(second),
        endSession(database.db, session.id, observed),
        endSession(database.db, third.id, observed),
        endSession(database.db, below.id, observed),
        endSession(database.db, first.id, observed),
        removeMember(database.db, removal),
      ]);
      expect(done.flatMap((each) => (each.status === 'rejected' ? [String(each.reason)] : []))).toEqual([]);
      const unfinished = await database
        .db('sessions')
        .where({ workspace_id: tenant.workspace.id, root_operator_id: tenant.max.id })
        .whereNull('ended_at')
        .whereNull('requested_ending')
        .whereNot({ id: root.id })
        .pluck('id');
      expect(unfinished).toEqual([]);
      await putMember(database.db, { ...removal, role: 'member' });
    }
  });
});
