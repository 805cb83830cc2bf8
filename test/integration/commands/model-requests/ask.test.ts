import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { revokeGrant } from '../../../../commands/grants/revoke.ts';
import { useSecretGrants } from '../../../../commands/grants/use.ts';
import { askForModelRequest } from '../../../../commands/model-requests/ask.ts';
import { moveSession } from '../../../../commands/sessions/move.ts';
import type { Agent } from '../../../../contract/agent.ts';
import type { ModelUsageReport } from '../../../../contract/model-access.ts';
import type { Session } from '../../../../contract/session.ts';
import { readModelTotals, settleModelRequest } from '../../../../store/model-requests/requests.ts';
import { storeConfiguration } from '../../../../store/session-configurations/configurations.ts';
import { requestEnding } from '../../../../store/sessions/sessions.ts';
import { createTestDatabase, type TestDatabase } from '../../../support/database.ts';
import { frozenFor, giveGrant } from '../../../support/granted.ts';
import { createTenant, type Tenant, testMasterKeys } from '../../../support/tenant.ts';

let database: TestDatabase;
let tenant: Tenant;

beforeAll(async () => {
  database = await createTestDatabase();
  tenant = await createTenant(database.db, testMasterKeys());
});
afterAll(() => database.drop());

const key = { kind: 'secret', secret_name: 'KEY', secret_version: 1 } as const;
const modelKey = { grant_type: 'model_key', details: { secret_name: 'KEY', endpoint: 'default' } } as const;

/** A session whose agent has access to a model, without a grant. */
async function ungranted(
  limits: { requests?: number; tokens?: number } = {},
  sameAgent?: Agent,
): Promise<Session> {
  const agent = sameAgent ?? (await tenant.agent());
  const session = await tenant.session(agent);
  const frozen = frozenFor(session, agent);
  const access = {
    endpoint: 'default',
    dialect: 'messages' as const,
    api_key: key,
    models: [],
    requests_per_session: limits.requests ?? 10,
    tokens_per_session: limits.tokens ?? 1000,
  };
  await storeConfiguration(database.db, { ...frozen, agent: { ...frozen.agent, model_access: access } });
  return session;
}

async function granted(limits: { requests?: number; tokens?: number } = {}): Promise<Session> {
  const session = await ungranted(limits);
  await giveGrant(database.db, session, { ...modelKey, scope: 'persistent' });
  return session;
}

const ask = ({ id: sessionId }: Pick<Session, 'id'>, maxTokens = 10, id: string = randomUUID()) =>
  askForModelRequest(database.db, { sessionId, id, maxTokens });
const settle = (sessionId: string, id: string, change: Partial<ModelUsageReport> = {}) =>
  settleModelRequest(
    database.db,
    { sessionId, id },
    {
      input_tokens: 5,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      output_tokens: 3,
      outcome: 'completed',
      ...change,
    },
  );
const totalsOf = ({ id }: Session) => readModelTotals(database.db, id);
const reached = ({ id }: Session) =>
  database.db('audit_events').where({ session_id: id, event: 'model.budget_reached' });
const notices = ({ id }: Session) =>
  database.db('session_events').where({ session_id: id, type: 'platform.notice' });

const allowed = { decision: 'allowed' };
const beyond = { decision: 'refused', code: 'model_budget_reached' };
const over = { decision: 'refused', code: 'model_access_ended' };

describe("requests to a session's model", () => {
  it('that come at once pass exactly as often as the limit says', async () => {
    const session = await granted({ requests: 10, tokens: 1_000_000 });
    const answers = await Promise.all(Array.from({ length: 200 }, () => ask(session)));
    expect(answers.filter((answer) => answer?.decision === 'allowed')).toHaveLength(10);
    expect(await totalsOf(session)).toMatchObject({ requests: 10, reserved_tokens: 100 });
    expect(await reached(session)).toHaveLength(1);
  });

  it('that come at once set aside no more tokens than there are', async () => {
    const session = await granted({ requests: 1000, tokens: 105 });
    const answers = await Promise.all(Array.from({ length: 60 }, () => ask(session, 10)));
    expect(answers.filter((answer) => answer?.decision === 'allowed')).toHaveLength(10);
    expect(await totalsOf(session)).toMatchObject({ reserved_tokens: 100, tokens_reached: true });
  });

  it('are counted once, however often one is sent', async () => {
    const session = await granted({ requests: 1 });
    const id = randomUUID();
    const answers = await Promise.all(Array.from({ length: 8 }, () => ask(session, 10, id)));
    expect(answers).toEqual(answers.map(() => allowed));
    await settle(session.id, id);
    expect(await ask(session, 10, id)).toEqual(allowed);
    expect(await totalsOf(session)).toMatchObject({ requests: 1, reserved_tokens: 0, input_tokens: 5 });
  });

  it('give back what they had set aside, once', async () => {
    const session = await granted({ tokens: 100 });
    const id = randomUUID();
    expect(await ask(session, 95, id)).toEqual(allowed);
    expect(await ask(session, 10)).toMatchObject(beyond);
    await Promise.all(Array.from({ length: 5 }, () => settle(session.id, id, { outcome: 'failed' })));
    expect(await totalsOf(session)).toMatchObject({
      requests: 1,
      failed_requests: 1,
      input_tokens: 5,
      output_tokens: 3,
      reserved_tokens: 0,
    });
    expect(await ask(session, 92)).toEqual(allowed);
  });

  it('of another session are not known by their id', async () => {
    const [session, other] = [await granted(), await granted()];
    const id = randomUUID();
    await ask(session, 50, id);
    await settle(other.id, id);
    expect(await totalsOf(session)).toMatchObject({ reserved_tokens: 50, input_tokens: 0 });
    expect(await totalsOf(other)).toMatchObject({ input_tokens: 0 });
  });

  it('tell people once of each limit, without what was asked', async () => {
    const session = await granted({ requests: 1, tokens: 20 });
    await ask(session, 30);
    await ask(session, 30);
    expect(await reached(session)).toHaveLength(1);
    await ask(session, 10);
    await ask(session, 10);
    await ask(session, 10);
    const events = await reached(session);
    expect(events.map(({ data }) => data)).toEqual(
      expect.arrayContaining([
        { limit: 'tokens', tokens_limit: 20 },
        { limit: 'requests', requests_limit: 1 },
      ]),
    );
    expect(events).toHaveLength(2);
    expect((await notices(session)).map(({ payload }) => payload)).toEqual([
      expect.objectContaining({ code: 'model_budget_reached' }),
      expect.objectContaining({ code: 'model_budget_reached' }),
    ]);
  });
});

it('a session runs before it is said that its model’s limit is reached', async () => {
  const session = await granted({ tokens: 5 });
  await moveSession(database.db, session.id, { to: 'starting', reason: null });
  expect(await ask(session, 10)).toMatchObject(beyond);
  const events = await database
    .db('session_events')
    .where({ session_id: session.id })
    .orderBy('seq', 'desc')
    .limit(2);
  expect(events).toMatchObject([
    { type: 'platform.notice' },
    { type: 'session.status_changed', payload: { to: 'running' } },
  ]);
});

describe('access to a model', () => {
  it('needs a grant of its own type for this key', async () => {
    const session = await ungranted();
    expect(await ask(session)).toMatchObject(over);
    await giveGrant(database.db, session, {
      grant_type: 'agent_env',
      details: { secret_name: 'KEY' },
      scope: 'persistent',
    });
    await giveGrant(database.db, session, {
      ...modelKey,
      details: { secret_name: 'OTHER', endpoint: 'default' },
      scope: 'persistent',
    });
    expect(await ask(session)).toMatchObject(over);
    await giveGrant(database.db, session, { ...modelKey, scope: 'persistent' });
    expect(await ask(session)).toEqual(allowed);
  });

  it('ends with its grant, also for a request that was allowed before', async () => {
    const session = await ungranted();
    const grant = await giveGrant(database.db, session, { ...modelKey, scope: 'persistent' });
    const id = randomUUID();
    expect(await ask(session, 10, id)).toEqual(allowed);
    await revokeGrant(database.db, grant.id, { type: 'user', id: tenant.ada.id });
    expect(await ask(session, 10, id)).toMatchObject(over);
    expect(await ask(session)).toMatchObject(over);
    expect(await reached(session)).toEqual([]);
  });

  it('is given by no grant for another endpoint', async () => {
    const session = await ungranted();
    const details = { secret_name: 'KEY', endpoint: 'another' };
    await giveGrant(database.db, session, { grant_type: 'model_key', details, scope: 'persistent' });
    expect(await ask(session)).toMatchObject(over);
  });

  it('lasts for the one session whose start used up a once grant', async () => {
    const agent = await tenant.agent();
    const [session, other] = [await ungranted({}, agent), await ungranted({}, agent)];
    const grant = await giveGrant(database.db, session, { ...modelKey, scope: 'once' });
    const uses = {
      sessionId: session.id,
      grantType: 'model_key',
      endpoint: 'default',
      secretNames: ['KEY'],
    } as const;
    expect(await useSecretGrants(database.db, uses)).toEqual([]);
    expect(await database.db('active_grants').where({ id: grant.id })).toEqual([]);
    expect(await ask(session)).toEqual(allowed);
    expect(await ask(other)).toMatchObject(over);
  });

  it('ends when the session ends, or was asked to', async () => {
    const [asked, ended] = [await granted(), await granted()];
    await requestEnding(database.db, asked.id, {
      by: { type: 'user', id: tenant.ada.id },
      status: 'terminated',
      reason: 'Enough',
      summary: null,
    });
    await moveSession(database.db, ended.id, { to: 'terminated', reason: 'Enough' });
    for (const session of [asked, ended]) {
      expect(await ask(session)).toMatchObject({ ...over, message: 'The session has ended' });
    }
  });

  it('ends with the closing of the workspace, before its sessions end', async () => {
    const session = await granted();
    expect(await ask(session)).toEqual({ decision: 'allowed' });
    const setClosed = (closed_at: string | null) =>
      database.db('workspaces').where({ id: tenant.workspace.id }).update({ closed_at });
    await setClosed(new Date().toISOString());
    expect(await ask(session)).toMatchObject({ ...over, message: 'The workspace is closed' });
    await setClosed(null);
    expect(await ask(session)).toEqual({ decision: 'allowed' });
  });

  it('is nothing of a session without it, nor of one that does not exist', async () => {
    expect(await ask(await tenant.session(await tenant.agent()))).toMatchObject(over);
    expect(await ask({ id: randomUUID() })).toBeNull();
  });
});
