/** What an agent may not ask for at all: to start others, and what its tree of sessions was denied. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { askForPermission } from '../../../../commands/permission-requests/ask.ts';
import { closePermissionRequest } from '../../../../commands/permission-requests/close.ts';
import type { Agent } from '../../../../contract/agent.ts';
import type { Session } from '../../../../contract/session.ts';
import { inTransaction } from '../../../../store/database.ts';
import { storeConfiguration } from '../../../../store/session-configurations/configurations.ts';
import { insertSession, readSession } from '../../../../store/sessions/sessions.ts';
import { updateRequestsMuted } from '../../../../store/sessions/tree.ts';
import { createTestDatabase, type TestDatabase } from '../../../support/database.ts';
import { callKeys, frozenFor } from '../../../support/granted.ts';
import { createTenant, type Tenant, testMasterKeys } from '../../../support/tenant.ts';

let database: TestDatabase;
let tenant: Tenant;
let orchestrator: Agent;
let worker: Agent;

beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(async () => {
  tenant = await createTenant(database.db, testMasterKeys());
  orchestrator = await tenant.agent({ kind: 'orchestrator' });
  worker = await tenant.agent();
});
afterAll(() => database.drop());

const limits = { openRequests: 100, denialMuteSeconds: 600, expirySeconds: 3600 };
type Report = Parameters<typeof askForPermission>[3];
const ask = (session: Session, content: Partial<Report>) =>
  askForPermission(
    database.db,
    callKeys,
    session.id,
    {
      request_id: randomUUID(),
      grant_type: 'tool_scope',
      details: { scope: 'files.write' },
      scope: 'session',
      justification: 'I need it',
      refused_call: null,
      ...content,
    },
    limits,
  );
const askToStart = (session: Session, childAgentId: string, content: Partial<Report> = {}) =>
  ask(session, { grant_type: 'spawn', details: { child_agent_id: childAgentId }, ...content });
const refused = (message: string) => ({ status: 'refused', code: 'invalid_request', message });

async function childOf(parent: Session, agent: Agent): Promise<Session> {
  const id = randomUUID();
  await inTransaction(database.db, (trx) =>
    insertSession(trx, {
      id,
      workspaceId: parent.workspace_id,
      agentId: agent.id,
      operatorId: null,
      rootOperatorId: parent.root_operator_id,
      parentSessionId: parent.id,
      prompt: '',
    }),
  );
  const session = await readSession(database.db, id);
  if (session === null) {
    throw new Error('the child session is gone');
  }
  return session;
}

describe('a request to start another agent', () => {
  it('is sent for an orchestrator', async () => {
    expect(await askToStart(await tenant.session(orchestrator), worker.id)).toMatchObject({ status: 'sent' });
  });

  it('is refused to a worker', async () => {
    expect(await askToStart(await tenant.session(worker), orchestrator.id)).toEqual(
      refused('only an agent of the kind orchestrator can start other agents'),
    );
  });

  it.each([
    ['orchestrator', 'worker', { status: 'sent' }],
    ['worker', 'orchestrator', { status: 'refused', code: 'invalid_request' }],
  ] as const)('goes by the kind that the session froze: %s, and now %s', async (frozen, now, answer) => {
    const agent = await tenant.agent({ kind: frozen });
    const session = await tenant.session(agent);
    await storeConfiguration(database.db, frozenFor(session, agent));
    await database.db('agents').where({ id: agent.id }).update({ kind: now });
    expect(await askToStart(session, worker.id)).toMatchObject(answer);
  });

  it('is refused beyond the session', async () => {
    const session = await tenant.session(orchestrator);
    for (const scope of ['once', 'persistent'] as const) {
      expect(await askToStart(session, worker.id, { scope })).toEqual(
        refused('a spawn permission that is asked for at run time has scope session'),
      );
    }
  });

  it('is refused for an agent that is not there, or of another workspace', async () => {
    const session = await tenant.session(orchestrator);
    const others = await (await createTenant(database.db, testMasterKeys())).agent();
    for (const id of [randomUUID(), others.id]) {
      expect(await askToStart(session, id)).toEqual(
        refused('there is no such agent in this workspace, or it is archived'),
      );
    }
  });

  it('is refused for an agent with a remote server attached, until that is detached', async () => {
    const session = await tenant.session(orchestrator);
    await tenant.server('files', undefined);
    await tenant.server('tickets', undefined, { shape: { type: 'remote', url: 'https://tickets.test/mcp' } });
    await tenant.attach(worker, 'files', {});
    await tenant.attach(worker, 'tickets', {});
    expect(await askToStart(session, worker.id)).toEqual(
      refused('that agent has a remote MCP server attached: no session can start it'),
    );
    const remote = database.db('mcp_servers').where({ name: 'tickets', workspace_id: session.workspace_id });
    await database.db('agent_mcp_attachments').whereIn('mcp_server_id', remote.select('id')).delete();
    expect(await askToStart(session, worker.id)).toMatchObject({ status: 'sent' });
  });
});

describe('in a tree of sessions', () => {
  let root: Session;
  let left: Session;
  let right: Session;
  let below: Session;
  const inTree = () => [root, left, right, below];

  beforeEach(async () => {
    root = await tenant.session(orchestrator);
    left = await childOf(root, orchestrator);
    right = await childOf(root, worker);
    below = await childOf(left, worker);
  });

  async function deny(session: Session, content: Partial<Report> = {}): Promise<string> {
    const answer = await ask(session, content);
    if (answer.status !== 'sent') {
      throw new Error(JSON.stringify(answer));
    }
    const decision = { status: 'denied', decidedBy: tenant.max.id, reason: 'Not today' } as const;
    await closePermissionRequest(database.db, answer.request_id, decision);
    return answer.request_id;
  }

  it.each([
    ['the root', () => root],
    ['a child', () => left],
    ['the lowest', () => below],
  ])(
    'what %s was denied is refused to every session, and its reason is told to it alone',
    async (_who, whose) => {
      const denied = whose();
      await deny(denied);
      for (const session of inTree()) {
        expect(await ask(session, {})).toEqual({
          status: 'refused',
          code: 'recently_denied',
          message: `the same request was denied less than 600 seconds ago, so do not ask for it again${
            session.id === denied.id ? ': Not today' : ', to another session of the same tree'
          }`,
        });
      }
    },
  );

  it('a later denial of another session does not hide a session’s own reason', async () => {
    const own = await ask(left, {});
    await deny(right);
    if (own.status === 'sent') {
      const decision = { status: 'denied', decidedBy: tenant.max.id, reason: 'Ask Ada' } as const;
      await closePermissionRequest(database.db, own.request_id, decision);
    }
    await database
      .db('permission_requests')
      .where({ session_id: right.id })
      .update({ decided_at: new Date().toISOString() });
    expect(await ask(left, {})).toMatchObject({ message: expect.stringMatching(/: Ask Ada$/) });
    expect(await ask(right, {})).toMatchObject({ message: expect.stringMatching(/: Not today$/) });
  });

  it('other details, another scope and another type are still asked for', async () => {
    await deny(left);
    expect(await ask(right, { details: { scope: 'files.remove' } })).toMatchObject({ status: 'sent' });
    expect(await ask(right, { scope: 'once' })).toMatchObject({ status: 'sent' });
    expect(await askToStart(root, worker.id)).toMatchObject({ status: 'sent' });
  });

  it.each([
    ['once', { once: false, session: false, persistent: false }],
    ['session', { once: true, session: false, persistent: false }],
    ['persistent', { once: true, session: true, persistent: false }],
  ] as const)('a denial of %s covers what is as wide or wider', async (denied, asked) => {
    await deny(left, { scope: denied });
    for (const [scope, isSent] of Object.entries(asked) as [Report['scope'], boolean][]) {
      for (const session of [left, right]) {
        expect(await ask(session, { scope })).toMatchObject(
          isSent ? { status: 'sent' } : { status: 'refused', code: 'recently_denied' },
        );
      }
    }
  });

  it('a denied start is refused to the orchestrator below, too', async () => {
    await deny(root, { grant_type: 'spawn', details: { child_agent_id: worker.id } });
    expect(await askToStart(left, worker.id)).toMatchObject({ code: 'recently_denied' });
    expect(await askToStart(left, orchestrator.id)).toMatchObject({ status: 'sent' });
  });

  it('a denial holds for a while', async () => {
    const id = await deny(below);
    await database.db.raw(
      "update permission_requests set decided_at = decided_at - interval '11 minutes' where id = ?",
      [id],
    );
    expect(await ask(root, {})).toMatchObject({ status: 'sent' });
  });

  it('another tree of the same agents and person is not concerned', async () => {
    await deny(root);
    const other = await tenant.session(orchestrator);
    expect(await ask(other, {})).toMatchObject({ status: 'sent' });
    expect(await ask(await childOf(other, worker), {})).toMatchObject({ status: 'sent' });
  });

  it('a muted session mutes what is below it, and nothing else', async () => {
    await updateRequestsMuted(database.db, left.id, true);
    const answers = await Promise.all(inTree().map((session) => ask(session, {})));
    expect(answers.map((answer) => (answer.status === 'refused' ? answer.code : answer.status))).toEqual([
      'sent',
      'muted',
      'sent',
      'muted',
    ]);
  });
});
