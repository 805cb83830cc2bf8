import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { revokeGrant } from '../../../commands/grants/revoke.ts';
import { writeGrant } from '../../../commands/grants/write.ts';
import { clearSecret } from '../../../commands/secrets/secrets.ts';
import { moveSession } from '../../../commands/sessions/move.ts';
import type { Agent } from '../../../contract/agent.ts';
import type { Session } from '../../../contract/session.ts';
import { verifyInternalToken } from '../../../contract/session-keys.ts';
import { UnsupportedWorkloadError } from '../../../runtime/workload.ts';
import { readConfiguration } from '../../../store/session-configurations/configurations.ts';
import { readSession } from '../../../store/sessions/sessions.ts';
import { createTestActivities, type TestActivities } from '../../support/activities.ts';
import type { Tenant } from '../../support/tenant.ts';

let activities: TestActivities;
let tenant: Tenant;

beforeAll(async () => {
  activities = await createTestActivities();
});
afterAll(() => activities.drop());

const secretField = { kind: 'secret', label: 'Token', required: true } as const;
const value = 'correct-horse-battery-staple';

/** An agent with `files` attached, whose API_TOKEN is the secret FILES_TOKEN. */
async function agentWithFiles(fields: Parameters<Tenant['agent']>[0] = {}): Promise<Agent> {
  tenant = await activities.tenant();
  await tenant.secret('FILES_TOKEN', value);
  await tenant.server('files', { env: { API_TOKEN: secretField } });
  const agent = await tenant.agent(fields);
  await tenant.attach(agent, 'files', { API_TOKEN: '${FILES_TOKEN}' });
  return agent;
}

async function freeze(agent: Agent): Promise<Session> {
  const session = await tenant.session(agent);
  await activities.run('freezeConfiguration', { sessionId: session.id });
  return session;
}

const validate = ({ id }: Session) => activities.run('validateLaunch', { sessionId: id });
const startIt = ({ id }: Session) => activities.run('startWorkload', { sessionId: id });
const started = ({ id }: Session) =>
  activities.runtime.started.filter(({ configuration }) => configuration.session_id === id);

function grantAgentEnv(agent: Agent, secretName: string, scope: 'once' | 'persistent' = 'persistent') {
  return activities.db.transaction((trx) =>
    writeGrant(trx, {
      id: randomUUID(),
      workspace_id: tenant.workspace.id,
      user_subject_id: null,
      agent_subject_id: agent.id,
      grant_type: 'agent_env',
      details: { secret_name: secretName },
      scope,
      session_id: null,
      reason: null,
      granted_by_user_id: tenant.ada.id,
      granted_by_role: 'admin',
      request_id: null,
      bound_call_digest: null,
      expires_at: null,
    }),
  );
}

describe('freezing the configuration', () => {
  it('stores references with their versions and manifests, never a value', async () => {
    const session = await freeze(await agentWithFiles());
    const configuration = await readConfiguration(activities.db, session.id);
    expect(configuration?.servers[0]).toMatchObject({
      name: 'files',
      entry_version: 1,
      env: { API_TOKEN: { kind: 'secret', secret_name: 'FILES_TOKEN', secret_version: 1 } },
      manifest_env: { API_TOKEN: secretField },
    });
    expect(JSON.stringify(configuration)).not.toContain(value);
  });

  it('keeps what the entry allows its server to request of the agent', async () => {
    const agent = await agentWithFiles();
    const allowed = { client_features: ['elicitation'] };
    const entry = { workspace_id: tenant.workspace.id, name: 'files' };
    await activities.db('mcp_servers').where(entry).update(allowed);
    const session = await freeze(agent);
    await activities.db('mcp_servers').where(entry).update({ client_features: [] });
    const configuration = await readConfiguration(activities.db, session.id);
    expect(configuration?.servers[0]).toMatchObject(allowed);
  });

  it('keeps the first configuration, whatever changes before a second attempt', async () => {
    const agent = await agentWithFiles();
    const session = await freeze(agent);
    await tenant.server('late', {});
    await tenant.attach(agent, 'late', {});
    await activities.run('freezeConfiguration', { sessionId: session.id });
    const configuration = await readConfiguration(activities.db, session.id);
    expect(configuration?.servers.map(({ name }) => name)).toEqual(['files']);
  });

  it('lets a launch go on that was lost after it was validated: nothing was started', async () => {
    const session = await freeze(await agentWithFiles());
    await validate(session);
    expect(await activities.run('freezeConfiguration', { sessionId: session.id })).toMatchObject({
      status: 'pending',
    });
    await startIt(session);
    expect(await activities.run('freezeConfiguration', { sessionId: session.id })).toMatchObject({
      status: 'starting',
    });
  });

  it('answers with the limits of the agent, or else of the platform, as numbers', async () => {
    const agent = await agentWithFiles({ limits: { idle_seconds: 5 } });
    const session = await tenant.session(agent);
    expect(await activities.run('freezeConfiguration', { sessionId: session.id })).toEqual({
      workspaceId: tenant.workspace.id,
      status: 'pending',
      limits: { startMs: 60_000, totalMs: 3_600_000, idleMs: 5000 },
      subject: `${tenant.workspace.slug}/${agent.name}`,
      searchAttributesKnown: true,
    });
  });

  it('refuses a session that was removed', async () => {
    await expect(activities.run('freezeConfiguration', { sessionId: randomUUID() })).rejects.toMatchObject({
      type: 'launch_refused',
      nonRetryable: true,
    });
  });

  it('fills in defaults, and never interprets the text of a value field', async () => {
    tenant = await activities.tenant();
    await tenant.server('plain', {
      env: {
        TEMPLATE: { kind: 'value', label: 'Template' },
        REGION: { kind: 'value', label: 'Region', default: 'eu' },
      },
    });
    const agent = await tenant.agent();
    await tenant.attach(agent, 'plain', { TEMPLATE: '${FILES_TOKEN}' });
    const session = await freeze(agent);
    await validate(session);
    await startIt(session);
    expect(started(session)[0]?.secrets.serverEnv).toEqual({
      plain: { TEMPLATE: '${FILES_TOKEN}', REGION: 'eu' },
    });
  });
});

describe('a launch that must fail', () => {
  it('names attachment, variable and secret when a secret was cleared, and starts nothing', async () => {
    const agent = await agentWithFiles();
    await clearSecret(
      activities.db,
      { workspaceId: tenant.workspace.id, name: 'FILES_TOKEN' },
      tenant.ada.id,
    );
    const session = await freeze(agent);
    await expect(validate(session)).rejects.toMatchObject({
      type: 'launch_refused',
      nonRetryable: true,
      message: 'attachment "files": variable API_TOKEN needs secret FILES_TOKEN, which is not set',
    });
    expect(started(session)).toEqual([]);
  });

  it('does not start with a secret that was cleared after validation', async () => {
    const session = await freeze(await agentWithFiles());
    await validate(session);
    await clearSecret(
      activities.db,
      { workspaceId: tenant.workspace.id, name: 'FILES_TOKEN' },
      tenant.ada.id,
    );
    await expect(startIt(session)).rejects.toMatchObject({
      type: 'launch_refused',
      message: 'attachment "files": variable API_TOKEN needs secret FILES_TOKEN, which is not set',
    });
    expect(started(session)).toEqual([]);
  });

  it('does not start with a secret that was replaced after the freeze', async () => {
    const session = await freeze(await agentWithFiles());
    await validate(session);
    await tenant.secret('FILES_TOKEN', 'another value');
    await expect(startIt(session)).rejects.toMatchObject({
      type: 'launch_refused',
      message: expect.stringContaining('secret FILES_TOKEN of variable API_TOKEN changed'),
    });
    expect(started(session)).toEqual([]);
  });

  it('queues expressions by the user that started the tree, and by the workspace', async () => {
    const session = await freeze(await agentWithFiles());
    const { patterns } = activities.dependencies;
    const asked: unknown[] = [];
    activities.dependencies.patterns = {
      ...patterns,
      check(owner, tasks) {
        asked.push(owner);
        return patterns.check(owner, tasks);
      },
    };
    await validate(session).finally(() => {
      activities.dependencies.patterns = patterns;
    });
    expect(asked).toEqual([{ userId: session.root_operator_id, workspaceId: tenant.workspace.id }]);
  });

  it('checks attachments again against the manifest that was frozen with them', async () => {
    const agent = await agentWithFiles();
    await activities
      .db('mcp_servers')
      .where({ workspace_id: tenant.workspace.id, name: 'files' })
      .update({
        manifest: JSON.stringify({
          env: { REGION: { kind: 'value', label: 'Region', required: true } },
          tool_scopes: {},
        }),
      });
    const session = await freeze(agent);
    await expect(validate(session)).rejects.toMatchObject({
      message: expect.stringContaining(
        'attachment "files": variable API_TOKEN is not declared by the manifest',
      ),
    });
  });

  it('refuses a frozen expression that is too large to run, from before expressions had bounds', async () => {
    const agent = await agentWithFiles();
    const regex = `(?:${'x*'.repeat(240)}){1000}`;
    const fields = {
      API_TOKEN: { kind: 'secret', label: 't' },
      REGION: { kind: 'value', label: 'r', regex },
    };
    await activities
      .db('mcp_servers')
      .where({ workspace_id: tenant.workspace.id, name: 'files' })
      .update({ manifest: JSON.stringify({ env: fields, tool_scopes: {} }) });
    await activities
      .db('agent_mcp_attachments')
      .where({ agent_id: agent.id })
      .update({ env: '{"REGION":"x"}' });
    const session = await freeze(agent);
    await expect(validate(session)).rejects.toMatchObject({
      message: expect.stringContaining('attachment "files": variable REGION cannot be checked'),
    });
  });

  it('reports the error of a driver that cannot run the configuration', async () => {
    const session = await freeze(await agentWithFiles());
    activities.runtime.refusal = new UnsupportedWorkloadError('images need the container runtime');
    await expect(validate(session)).rejects.toMatchObject({
      type: 'launch_refused',
      message: 'images need the container runtime',
    });
    activities.runtime.refusal = null;
  });

  it('does not start a session that has ended', async () => {
    const session = await freeze(await agentWithFiles());
    await moveSession(activities.db, session.id, { to: 'terminated', reason: 'by hand' });
    await expect(startIt(session)).rejects.toMatchObject({ type: 'launch_refused' });
    expect(started(session)).toEqual([]);
  });

  it('passes no error text of a driver to Temporal', async () => {
    const session = await freeze(await agentWithFiles());
    activities.runtime.startFailure = new Error(`spawn failed with ${value}`);
    const failure: unknown = await startIt(session).catch((error: unknown) => error);
    activities.runtime.startFailure = null;
    expect(failure).toMatchObject({ type: 'start_failed', nonRetryable: false });
    expect(JSON.stringify(failure, Object.getOwnPropertyNames(failure))).not.toContain(value);
  });
});

describe('places for sessions', () => {
  it('go to those that were started first, for each worker that runs; an ended one frees its place', async () => {
    const { db, dependencies } = activities;
    await db('sessions').whereNull('ended_at').update({ status: 'terminated', ended_at: db.fn.now() });
    const agent = await agentWithFiles();
    const sessions = [await freeze(agent), await freeze(agent), await freeze(agent)];
    const [first, second, third] = sessions as [Session, Session, Session];
    const { limits } = dependencies;
    dependencies.limits = { ...limits, WORKER_MAX_SESSIONS: 2 };
    const report = (seenAt: string) =>
      db('workers').insert({ id: randomUUID(), capabilities: '{}', seen_at: db.raw(seenAt) });
    try {
      await report('now()');
      await report(`now() - interval '5 minutes'`);
      await validate(second);
      await validate(first);
      const refused = expect.objectContaining({
        type: 'launch_refused',
        message: expect.stringContaining('All 2 places for sessions are taken'),
      });
      await expect(validate(third)).rejects.toEqual(refused);
      await moveSession(db, first.id, { to: 'terminated', reason: 'Enough' });
      await validate(third);
      const fourth = await freeze(agent);
      await expect(validate(fourth)).rejects.toEqual(refused);
      await report('now()');
      await validate(fourth);
    } finally {
      dependencies.limits = limits;
      await db('workers').delete();
    }
  });
});

describe('starting the workload', () => {
  it('passes each value to the one container that refers to it, and its own keys to the sidecar', async () => {
    const agent = await agentWithFiles({ env: { MODE: 'fast' } });
    await tenant.secret('OTHER_TOKEN', 'other-value');
    await tenant.server('other', { env: { TOKEN: secretField } });
    await tenant.attach(agent, 'other', { TOKEN: '${OTHER_TOKEN}' });
    const session = await freeze(agent);
    await validate(session);
    await startIt(session);
    const [launch] = started(session);
    expect(launch?.secrets).toMatchObject({
      agentEnv: { MODE: 'fast' },
      serverEnv: { files: { API_TOKEN: value }, other: { TOKEN: 'other-value' } },
      siblingEnv: {},
    });
    const token = launch?.secrets.sidecar.internal_token ?? '';
    expect(verifyInternalToken(activities.dependencies.sessionKeySeed, token, session.id)).toBe(true);
    expect(await readSession(activities.db, session.id)).toMatchObject({ status: 'starting' });
    expect(activities.logged()).not.toContain(value);
  });

  it('never reads a value from the environment of the process', async () => {
    process.env['FILES_TOKEN'] = 'from the environment';
    const session = await freeze(await agentWithFiles());
    await startIt(session).finally(() => delete process.env['FILES_TOKEN']);
    expect(started(session)[0]?.secrets.serverEnv).toEqual({ files: { API_TOKEN: value } });
  });
});

describe("a secret in the agent's own environment", () => {
  async function exposingAgent(): Promise<Agent> {
    const agent = await agentWithFiles({ env: {} });
    await activities
      .db('agents')
      .where({ id: agent.id })
      .update({ env: JSON.stringify({ TOKEN: '${FILES_TOKEN}' }) });
    return agent;
  }

  it('is refused without an explicit grant', async () => {
    const session = await freeze(await exposingAgent());
    await expect(validate(session)).rejects.toMatchObject({
      message:
        "the agent's environment: variable TOKEN would expose secret FILES_TOKEN, which needs an agent_env grant",
    });
  });

  it('is set under an active grant, and not under a revoked one', async () => {
    const agent = await exposingAgent();
    const grant = await grantAgentEnv(agent, 'FILES_TOKEN');
    const [session, later] = [await freeze(agent), await freeze(agent)];
    await validate(session);
    await startIt(session);
    expect(started(session)[0]?.secrets.agentEnv).toEqual({ TOKEN: value });
    await validate(later);
    await revokeGrant(activities.db, grant.id, { type: 'user', id: tenant.ada.id });
    await expect(startIt(later)).rejects.toMatchObject({ type: 'launch_refused' });
    expect(started(later)).toEqual([]);
  });

  it('is set for one session under a once grant, however often its start is retried', async () => {
    const agent = await exposingAgent();
    await grantAgentEnv(agent, 'FILES_TOKEN', 'once');
    const [session, other] = [await freeze(agent), await freeze(agent)];
    await startIt(session);
    await startIt(session);
    expect(started(session)).toHaveLength(2);
    await expect(startIt(other)).rejects.toMatchObject({ type: 'launch_refused' });
    const consumed = await activities.db('audit_events').where({
      event: 'grant.consumed',
      session_id: session.id,
    });
    expect(consumed).toHaveLength(1);
  });
});
