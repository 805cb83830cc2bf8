import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { askForPermission } from '../../../../commands/permission-requests/ask.ts';
import { closePermissionRequest, markApproved } from '../../../../commands/permission-requests/close.ts';
import { createSession } from '../../../../commands/sessions/create.ts';
import { moveSession } from '../../../../commands/sessions/move.ts';
import type { Agent } from '../../../../contract/agent.ts';
import type { Session } from '../../../../contract/session.ts';
import {
  listOpenRequestsOfSession,
  readPermissionRequest,
} from '../../../../store/permission-requests/requests.ts';
import { storeConfiguration } from '../../../../store/session-configurations/configurations.ts';
import { listSessionEvents } from '../../../../store/session-events/list.ts';
import { listSessionInputs } from '../../../../store/session-inputs/inputs.ts';
import { readIdleState } from '../../../../store/sessions/activity.ts';
import { createTestDatabase, type TestDatabase } from '../../../support/database.ts';
import { callKeys, frozenFor, giveGrant } from '../../../support/granted.ts';
import { createTenant, type Tenant, testMasterKeys } from '../../../support/tenant.ts';

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
  session = await tenant.session(agent);
  await storeConfiguration(database.db, frozenFor(session, agent));
});
afterAll(() => database.drop());

const limits = { openRequests: 3, denialMuteSeconds: 600, expirySeconds: 3600 };
const report = (content: Partial<Parameters<typeof askForPermission>[3]> = {}) => ({
  request_id: randomUUID(),
  grant_type: 'tool_scope' as const,
  details: { scope: 'files.write' },
  scope: 'once' as const,
  justification: 'I need it',
  refused_call: null,
  ...content,
});
const open = (content = report(), sessionId = session.id) =>
  askForPermission(database.db, callKeys, sessionId, content, limits);
const eventsOf = async (sessionId = session.id) =>
  (await listSessionEvents(database.db, sessionId, { after: 0, limit: 200 })).filter(
    ({ type }) => type !== 'session.status_changed',
  );
const child = async (parent: Session) =>
  createSession(database.db, {
    id: randomUUID(),
    workspaceId: parent.workspace_id,
    agentId: agent.id,
    operatorId: null,
    rootOperatorId: tenant.max.id,
    parentSessionId: parent.id,
    prompt: '',
  });

describe('an agent’s request', () => {
  it('becomes a row, an event with facts, and an audit event', async () => {
    const asked = report({ refused_call: { server: 'files', tool: 'write_file' } });
    expect(await open(asked)).toMatchObject({ status: 'sent', request_id: asked.request_id });
    expect(await readPermissionRequest(database.db, asked.request_id)).toMatchObject({
      session_id: session.id,
      agent_id: agent.id,
      status: 'open',
      refused_call: { server: 'files', tool: 'write_file' },
    });
    expect(await eventsOf()).toMatchObject([
      {
        type: 'agent.permission_request',
        actor: { type: 'agent', id: agent.id },
        payload: {
          request_id: asked.request_id,
          agent: { id: agent.id, name: agent.name },
          tools: [
            { server: 'files', tool: 'edit_file' },
            { server: 'files', tool: 'write_file' },
          ],
        },
      },
    ]);
    expect(await database.db('audit_events').where({ resource_id: asked.request_id })).toMatchObject([
      { event: 'permission_request.created', resource_name: 'tool_scope files.write' },
    ]);
    expect(await readIdleState(database.db, session.id)).toMatchObject({ waiting: true });
  });

  it('sent twice, or repeated identically, is one request', async () => {
    const asked = report();
    const first = await open(asked);
    expect(await open(asked)).toEqual(first);
    expect(await open(report({ justification: 'Please!' }))).toEqual(first);
    expect(await open(report({ scope: 'session' }))).not.toEqual(first);
    expect(await eventsOf()).toHaveLength(2);
  });

  it('sent several times concurrently is one request', async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => open()));
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(await listOpenRequestsOfSession(database.db, session.id)).toHaveLength(1);
  });

  it('keeps 2,000 characters of the justification, and no half of one', async () => {
    const asked = report({ justification: `${'x'.repeat(1999)}😀${'y'.repeat(100)}` });
    await open(asked);
    const stored = (await readPermissionRequest(database.db, asked.request_id))?.justification ?? '';
    expect(stored).toHaveLength(2000);
    expect(stored.isWellFormed()).toBe(true);
  });

  it.each([
    ['details of another shape', { details: { scope: 'files.write', more: 1 } }],
    ['a scope that is none', { details: { scope: 'Files' } }],
  ] as const)('with %s is refused and writes nothing', async (_what, content) => {
    expect(await open(report(content))).toMatchObject({ status: 'refused', code: 'invalid_request' });
    expect(await eventsOf()).toEqual([]);
  });

  it('is refused if the workspace accepts none', async () => {
    await database
      .db('workspaces')
      .where({ id: tenant.workspace.id })
      .update({ allow_runtime_permission_requests: false });
    expect(await open()).toMatchObject({ status: 'refused', code: 'runtime_requests_disabled' });
  });

  it('is refused for a while after an identical one was denied, with the reason', async () => {
    const asked = report();
    await open(asked);
    await closePermissionRequest(database.db, asked.request_id, {
      status: 'denied',
      decidedBy: tenant.max.id,
      reason: 'Not today',
    });
    expect(await open()).toMatchObject({
      code: 'recently_denied',
      message: expect.stringContaining('Not today'),
    });
    expect(await open(report({ details: { scope: 'files.remove' } }))).toMatchObject({ status: 'sent' });
    await database.db.raw(
      `update permission_requests set decided_at = decided_at - interval '11 minutes'
      where id = ?`,
      [asked.request_id],
    );
    expect(await open()).toMatchObject({ status: 'sent' });
  });

  it('is refused when its tree of sessions has too many open, also under concurrency', async () => {
    const below = await child(session);
    const letters = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
    const answers = await Promise.all(
      letters.map((letter, at) =>
        open(report({ details: { scope: `files.${letter}` } }), at % 2 === 0 ? session.id : below.id),
      ),
    );
    expect(answers.filter(({ status }) => status === 'sent')).toHaveLength(limits.openRequests);
    expect(answers.find(({ status }) => status === 'refused')).toMatchObject({
      code: 'too_many_open_requests',
    });
  });

  it('is refused once the session has ended', async () => {
    await moveSession(database.db, session.id, { to: 'terminated', reason: 'Enough' });
    expect(await open()).toMatchObject({ status: 'refused', code: 'invalid_request' });
  });

  it('of a child session appears on every stream up to the human, and so does its outcome', async () => {
    const below = await child(session);
    const lowest = await child(below);
    const asked = report();
    await open(asked, lowest.id);
    await closePermissionRequest(database.db, asked.request_id, { status: 'expired' });
    for (const { id } of [session, below, lowest]) {
      expect((await eventsOf(id)).map(({ type, payload }) => [type, payload['request_id']])).toEqual([
        ['agent.permission_request', asked.request_id],
        ['permission.decided', asked.request_id],
      ]);
    }
    expect(await listSessionInputs(database.db, session.id, { after: 0 })).toEqual([]);
    expect(await listSessionInputs(database.db, lowest.id, { after: 0 })).toHaveLength(1);
  });
});

describe('an open request closes once', () => {
  const texts = {
    denied: 'was denied by Max Member. Do not ask for it again. Reason: No.',
    expired: 'expired: nobody decided it in time.',
    cancelled: 'was cancelled.',
  };
  it.each(['denied', 'expired', 'cancelled'] as const)('as %s, and notifies everybody', async (status) => {
    const asked = report();
    await open(asked);
    const closing = {
      status,
      ...(status === 'denied' ? { decidedBy: tenant.max.id, reason: 'No.' } : {}),
    };
    expect(await closePermissionRequest(database.db, asked.request_id, closing)).toBe(true);
    expect(await closePermissionRequest(database.db, asked.request_id, { status: 'cancelled' })).toBe(false);
    expect(await readPermissionRequest(database.db, asked.request_id)).toMatchObject({ status });
    const [input] = await listSessionInputs(database.db, session.id, { after: 0 });
    expect(input).toMatchObject({ kind: 'permission_decision', decision: { status, grant_id: null } });
    expect(input?.text).toBe(
      `Permission request ${asked.request_id} for tool_scope files.write ${texts[status]}`,
    );
    expect((await eventsOf()).at(-1)).toMatchObject({ type: 'permission.decided', payload: { status } });
    const audit = await database
      .db('audit_events')
      .where({ resource_id: asked.request_id })
      .orderBy('position');
    expect(audit.map(({ event }) => event)).toEqual([
      'permission_request.created',
      `permission_request.${status}`,
    ]);
    expect(await readIdleState(database.db, session.id)).toMatchObject({ waiting: false });
  });

  it.each([
    [false, ''],
    [true, ', for exactly the refused call,'],
  ])('as approved, with the grant in the message; exactly one call: %s', async (exactCall, sentence) => {
    const asked = report();
    await open(asked);
    const grantId = randomUUID();
    await database.db.transaction(async (trx) => {
      const approval = { grantId, scope: 'once', exactCall, decidedBy: tenant.ada.id, reason: null } as const;
      expect(await markApproved(trx, asked.request_id, approval)).toBe(true);
      await giveGrant(trx, session, { id: grantId, request_id: asked.request_id });
    });
    const decided = (await eventsOf()).at(-1);
    expect(decided).toMatchObject({ type: 'permission.decided', payload: { grant_id: grantId } });
    expect(decided?.payload['exact_call']).toBe(exactCall ? true : undefined);
    const [input] = await listSessionInputs(database.db, session.id, { after: 0 });
    expect(input?.text).toBe(
      `Permission request ${asked.request_id} for tool_scope files.write was approved once${sentence} by Ada Admin (grant ${grantId}). You can retry the call.`,
    );
  });

  it('however many try concurrently', async () => {
    for (let round = 0; round < 20; round += 1) {
      const asked = report({ details: { scope: `files.${'abcdefghijklmnopqrst'[round]}` } });
      await open(asked);
      const results = await Promise.all(
        (['denied', 'expired', 'cancelled'] as const).map((status) =>
          closePermissionRequest(database.db, asked.request_id, { status }),
        ),
      );
      expect(results.filter(Boolean)).toHaveLength(1);
    }
    expect(await listSessionInputs(database.db, session.id, { after: 0 })).toHaveLength(20);
  });

  it('while others open and close in the same tree, without a deadlock', async () => {
    const below = await child(session);
    const letters = [...'abcdefgh'];
    const wide = { ...limits, openRequests: 100 };
    await Promise.all(
      letters.flatMap((letter) =>
        [session.id, below.id].map(async (id) => {
          const asked = report({ details: { scope: `files.${letter}` } });
          await askForPermission(database.db, callKeys, id, asked, wide);
          await closePermissionRequest(database.db, asked.request_id, { status: 'expired' });
        }),
      ),
    );
    expect(await eventsOf(session.id)).toHaveLength(letters.length * 4);
  });
});
