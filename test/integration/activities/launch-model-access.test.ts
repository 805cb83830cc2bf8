import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { revokeGrant } from '../../../commands/grants/revoke.ts';
import { writeGrant } from '../../../commands/grants/write.ts';
import type { Agent } from '../../../contract/agent.ts';
import type { Session } from '../../../contract/session.ts';
import { readConfiguration } from '../../../store/session-configurations/configurations.ts';
import { createTestActivities, type TestActivities } from '../../support/activities.ts';
import { grantFor } from '../../support/granted.ts';
import type { Tenant } from '../../support/tenant.ts';

let activities: TestActivities;
let tenant: Tenant;

beforeAll(async () => {
  activities = await createTestActivities();
});
afterAll(() => activities.drop());
beforeEach(async () => {
  tenant = await activities.tenant();
  await tenant.secret('MODEL_KEY', 'correct-horse-battery-staple');
});

const access = {
  endpoint: 'default',
  api_key: '${MODEL_KEY}',
  models: ['a-model'],
  requests_per_session: 10,
  tokens_per_session: 1000,
};
const withModel = () => tenant.agent({ model_access: access });

async function freeze(agent: Agent): Promise<Session> {
  const session = await tenant.session(agent);
  await activities.run('freezeConfiguration', { sessionId: session.id });
  return session;
}

const validate = ({ id }: Session) => activities.run('validateLaunch', { sessionId: id });
const startIt = ({ id }: Session) => activities.run('startWorkload', { sessionId: id });
const started = ({ id }: Session) =>
  activities.runtime.started.filter(({ configuration }) => configuration.session_id === id);

async function grantKey(
  agent: Agent,
  scope: 'once' | 'persistent' = 'persistent',
  grant_type: 'agent_env' | 'model_key' = 'model_key',
  endpoint = 'default',
) {
  const holder = { user_subject_id: null, agent_subject_id: agent.id, granted_by_user_id: tenant.ada.id };
  const ofEndpoint = grant_type === 'model_key' ? { endpoint } : {};
  const details = { secret_name: 'MODEL_KEY', ...ofEndpoint };
  const content = { grant_type, details, scope, ...holder };
  const session = await tenant.session(agent);
  return activities.db.transaction((trx) => writeGrant(trx, grantFor(session, content)));
}

describe("the key of an agent's model access", () => {
  it('is frozen as a reference, and absent without access', async () => {
    const session = await freeze(await withModel());
    expect((await readConfiguration(activities.db, session.id))?.agent.model_access).toEqual({
      endpoint: 'default',
      dialect: 'messages',
      api_key: { kind: 'secret', secret_name: 'MODEL_KEY', secret_version: 1 },
      models: ['a-model'],
      requests_per_session: 10,
      tokens_per_session: 1000,
    });
    const without = await freeze(await tenant.agent());
    expect((await readConfiguration(activities.db, without.id))?.agent).not.toHaveProperty('model_access');
  });

  it('needs a grant of its own type', async () => {
    const agent = await withModel();
    await grantKey(agent, 'persistent', 'agent_env');
    await expect(validate(await freeze(agent))).rejects.toMatchObject({
      message: "the agent's model access: api_key would use secret MODEL_KEY, which needs a model_key grant",
    });
    await grantKey(agent);
    await validate(await freeze(agent));
  });

  it('needs a grant for the endpoint that it is sent to', async () => {
    const agent = await withModel();
    await grantKey(agent, 'persistent', 'model_key', 'another');
    await expect(validate(await freeze(agent))).rejects.toMatchObject({
      message: expect.stringContaining('needs a model_key grant'),
    });
  });

  it('is frozen with its endpoint, which the workspace must have then', async () => {
    const agent = await withModel();
    const at = async (endpoint: string) => {
      const model_access = JSON.stringify({ ...access, endpoint });
      await activities.db('agents').where({ id: agent.id }).update({ model_access });
      return freeze(agent);
    };
    const session = await at('chat');
    expect((await readConfiguration(activities.db, session.id))?.agent.model_access).toMatchObject({
      endpoint: 'chat',
      dialect: 'chat_completions',
    });
    for (const endpoint of ['of-others', 'nothing']) {
      await expect(at(endpoint)).rejects.toMatchObject({
        type: 'launch_refused',
        message: expect.stringContaining(`names the endpoint "${endpoint}"`),
      });
    }
  });

  it('needs to be set', async () => {
    const agent = await withModel();
    const unset = { ...access, api_key: '${NEVER_SET}' };
    await activities
      .db('agents')
      .where({ id: agent.id })
      .update({ model_access: JSON.stringify(unset) });
    await expect(validate(await freeze(agent))).rejects.toMatchObject({
      message: "the agent's model access: api_key needs secret NEVER_SET, which is not set",
    });
  });

  it('is looked at again when the session starts', async () => {
    const agent = await withModel();
    const grant = await grantKey(agent);
    const [session, later] = [await freeze(agent), await freeze(agent)];
    await validate(session);
    await startIt(session);
    // For the model container, and nowhere else.
    expect(started(session)[0]?.secrets).toMatchObject({
      modelKey: 'correct-horse-battery-staple',
      agentEnv: {},
      serverEnv: {},
    });
    await validate(later);
    await revokeGrant(activities.db, grant.id, { type: 'user', id: tenant.ada.id });
    await expect(startIt(later)).rejects.toMatchObject({
      type: 'launch_refused',
      message: 'The model_key grant for secret MODEL_KEY is no longer active',
    });
    expect(started(later)).toEqual([]);
  });

  it('is for one session under a once grant', async () => {
    const agent = await withModel();
    await grantKey(agent, 'once');
    const [session, other] = [await freeze(agent), await freeze(agent)];
    await startIt(session);
    await expect(startIt(other)).rejects.toMatchObject({ type: 'launch_refused' });
  });

  it('is required of the built-in agent claude, also where it was saved without', async () => {
    const claude = { type: 'builtin', name: 'claude' } as const;
    await expect(tenant.agent({ run: claude })).rejects.toThrow('model_access');
    const agent = await tenant.agent({ run: claude, model_access: access });
    await activities.db('agents').where({ id: agent.id }).update({ model_access: null });
    await expect(validate(await freeze(agent))).rejects.toMatchObject({
      message: 'model_access is required: the built-in agent "claude" asks a language model',
    });
  });

  it('is at an endpoint that claude speaks to, also where it was another when that was saved', async () => {
    const claude = { type: 'builtin', name: 'claude' } as const;
    const agent = await tenant.agent({ run: claude, model_access: access });
    await grantKey(agent, 'persistent', 'model_key', 'chat');
    const model_access = JSON.stringify({ ...access, endpoint: 'chat' });
    await activities.db('agents').where({ id: agent.id }).update({ model_access });
    await expect(validate(await freeze(agent))).rejects.toMatchObject({
      type: 'launch_refused',
      message: expect.stringContaining('must name an endpoint that speaks messages'),
    });
  });

  it('is for a model that is named, where the preset has no choice of its own by that dialect', async () => {
    const agent = await tenant.agent({ run: { type: 'builtin', name: 'scripted' }, model_access: access });
    await grantKey(agent, 'persistent', 'model_key', 'chat');
    const run = JSON.stringify({ type: 'builtin', name: 'acp', preset: 'opencode' });
    const model_access = JSON.stringify({ ...access, endpoint: 'chat' });
    await activities.db('agents').where({ id: agent.id }).update({ run, model_access });
    await expect(validate(await freeze(agent))).rejects.toMatchObject({
      type: 'launch_refused',
      message: expect.stringContaining('asks only for a model that is named'),
    });
    await activities.db('agents').where({ id: agent.id }).update({ model: 'a-model' });
    await validate(await freeze(agent));
  });
});
