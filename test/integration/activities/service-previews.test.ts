/** The activities of previews that show a service, on a real database, with a runtime that starts nothing. */
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { stopOrphans } from '../../../activities/workloads/stop-orphans.ts';
import { revokeGrant } from '../../../commands/grants/revoke.ts';
import { removeMember } from '../../../commands/members/members.ts';
import { endPreview } from '../../../commands/previews/end.ts';
import { moveSession } from '../../../commands/sessions/move.ts';
import type { Session } from '../../../contract/session.ts';
import { systemActor } from '../../../contract/session-event.ts';
import { verifyInternalToken } from '../../../contract/session-keys.ts';
import { type ServiceEnding, sessionWorkflowId } from '../../../contract/workflows.ts';
import { UnsupportedWorkloadError, WorkloadFailedError } from '../../../runtime/workload.ts';
import { setReportedUrl } from '../../../store/previews/services.ts';
import { readCapacity } from '../../../store/sessions/capacity.ts';
import { createTestActivities, environmentOf, type TestActivities } from '../../support/activities.ts';
import { giveGrant } from '../../support/granted.ts';
import { agentWithServices, deployService, serviceRun } from '../../support/service-previews.ts';
import type { Tenant } from '../../support/tenant.ts';

let activities: TestActivities;
let tenant: Tenant;
let session: Session;

beforeAll(async () => {
  activities = await createTestActivities();
});
beforeEach(async () => {
  tenant = await activities.tenant();
  session = await startSession();
});
afterEach(() => {
  Object.assign(activities.runtime, { refusal: null, startFailure: null });
  activities.dependencies.limits.WORKER_MAX_SESSIONS = 100_000;
});
afterAll(() => activities.drop());

/** Of an agent with a service `web` and whatever a test adds; its configuration is frozen. */
async function startSession(more: object = {}, saved: { services?: string } = {}): Promise<Session> {
  const agent = await tenant.agent(
    agentWithServices({ network: 'internet', egress_allow: [], env: { ONLY: 'the agent' }, ...more }),
  );
  if (saved.services !== undefined) {
    await activities.db('agents').where({ id: agent.id }).update(saved);
  }
  const started = await tenant.session(agent);
  await activities.run('freezeConfiguration', { sessionId: started.id });
  return started;
}

const deploy = (service = 'web', of = session) => deployService(activities.db, of, service);
const freeze = (previewId: string) => activities.run('freezeService', { previewId });
const startIt = (previewId: string) => activities.run('startService', { previewId });
const publish = (previewId: string) => activities.run('publishService', { previewId });
const look = (previewId: string, { isStarted = true, restartingForMs = 0 } = {}) =>
  activities.run('lookAtService', { previewId, isStarted, restartingForMs });
const stopIt = (previewId: string) => activities.run('stopService', { previewId });
const recordEnd = (previewId: string, ending: ServiceEnding) =>
  activities.run('recordServiceEnd', { previewId, ending });

const rowOf = (previewId: string) =>
  activities.db('preview_services').where({ preview_id: previewId }).first();
const previewOf = (id: string) => activities.db('previews').where({ id }).first();
const started = (previewId: string) =>
  activities.runtime.started.filter(({ configuration }) => configuration.session_id === previewId);

/** Frozen and started. */
async function running(...input: Parameters<typeof deploy>): Promise<string> {
  const id = await deploy(...input);
  await freeze(id);
  await startIt(id);
  return id;
}

const stopped = { state: 'stopped', reason: null } as const;
const crashed = { state: 'failed', reason: 'The service exited with code 1' } as const;

describe('freezing', () => {
  it('makes a workload of the service alone, with the network of its agent', async () => {
    const id = await deploy();
    expect(await freeze(id)).toEqual({
      ...{ workspaceId: tenant.workspace.id, sessionId: session.id },
      ...{ startMs: 60_000, hasReported: false, searchAttributesKnown: true },
      subject: expect.stringMatching(`^${tenant.workspace.slug}/.`),
    });
    const { configuration } = (await rowOf(id)) ?? {};
    expect(configuration).toMatchObject({
      ...{
        session_id: id,
        workspace_id: tenant.workspace.id,
        service: { port: 8080, session_id: session.id },
      },
      ...{ prompt: '', servers: [], siblings: [], services: [] },
      agent: {
        ...{ id: session.agent_id, name: 'web', run: serviceRun, network: 'internet', instructions: '' },
        env: { PORT: { kind: 'value', value: '8080' } },
      },
    });
    expect(JSON.stringify(configuration)).not.toContain('the agent');
  });

  it('keeps the first that was stored, and takes what its session froze, not what the agent has become', async () => {
    const services = [{ name: 'web', run: serviceRun, env: { PORT: '9000' } }];
    const of = await startSession({ services });
    const id = await deploy('web', of);
    await activities.db('agents').where({ id: of.agent_id }).update({ services: '[]' });
    await freeze(id);
    const first = await rowOf(id);
    expect(first?.configuration).toMatchObject({
      service: { port: 9000 },
      agent: { env: { PORT: { kind: 'value', value: '9000' } } },
    });
    expect(await freeze(id)).toMatchObject({ hasReported: false });
    expect(await rowOf(id)).toEqual(first);
    await setReportedUrl(activities.db, id, 'http://127.0.0.1:4321');
    expect(await freeze(id)).toMatchObject({ hasReported: true });
  });

  it.each([
    ['ended', (id: string) => endPreview(activities.db, id, systemActor)],
    [
      'expired',
      (id: string) =>
        activities
          .db('previews')
          .where({ id })
          .update({ expires_at: activities.db.raw("now() - interval '1 second'") }),
    ],
    ['removed', (id: string) => activities.db('previews').where({ id }).delete()],
    [
      'of a session that has ended',
      () => moveSession(activities.db, session.id, { to: 'failed', reason: 'x' }),
    ],
    [
      'of an operator who has left',
      () =>
        removeMember(activities.db, {
          ...{ workspaceId: tenant.workspace.id, userId: tenant.max.id, by: systemActor },
        }),
    ],
  ])('starts nothing for a preview that is %s, and a look ends what runs', async (_what, happen) => {
    const [fresh, frozen, runs] = [await deploy(), await deploy(), await running()];
    await freeze(frozen);
    for (const id of [fresh, frozen, runs]) {
      await happen(id);
    }
    expect(await freeze(fresh)).toBeNull();
    expect(await startIt(frozen)).toEqual({ isWanted: false });
    expect(started(frozen)).toEqual([]);
    expect((await look(frozen, { isStarted: false })).ending).toEqual(stopped);
    expect((await look(runs)).ending).toEqual(stopped);
  });

  it('is refused for a service whose port cannot be asked, however it came to be saved', async () => {
    const services = JSON.stringify([{ name: 'web', run: serviceRun, env: { PORT: '80' } }]);
    const id = await deploy('web', await startSession({}, { services }));
    await expect(freeze(id)).rejects.toMatchObject({
      ...{ type: 'launch_refused', nonRetryable: true },
      message: 'service "web": variable PORT must be a port from 1024 to 65535',
    });
  });
});

describe('starting', () => {
  it('happens with the token and the key of the preview, once recorded', async () => {
    const id = await running();
    const [{ secrets } = { secrets: null }] = started(id);
    const { sessionKeySeed } = activities.dependencies;
    expect(verifyInternalToken(sessionKeySeed, secrets?.sidecar.internal_token ?? '', id)).toBe(true);
    expect(secrets?.agentEnv).toEqual({ PORT: '8080' });
    const row = await rowOf(id);
    expect(row).toMatchObject({ state: 'starting', started_at: expect.any(String) });
    await startIt(id);
    expect(await rowOf(id)).toEqual(row);
  });

  it('is for the workflow of this preview only', async () => {
    const id = await deploy();
    for (const workflow of [sessionWorkflowId(session.id), sessionWorkflowId(id)]) {
      const environment = environmentOf(workflow);
      await expect(activities.run('startService', { previewId: id }, environment)).rejects.toMatchObject({
        type: 'foreign_workflow',
      });
    }
  });

  it.each([
    ['refusal', new UnsupportedWorkloadError('This runtime runs no services')],
    ['startFailure', new WorkloadFailedError('The image has no such program')],
  ] as const)('is refused with the sentence of the runtime: %s', async (when, error) => {
    const id = await deploy();
    await freeze(id);
    activities.runtime[when] = error;
    await expect(startIt(id)).rejects.toMatchObject({ type: 'launch_refused', message: error.message });
  });

  it('takes a place of a worker, which older sessions and services may have taken', async () => {
    const id = await deploy();
    const { earlier } = await readCapacity(activities.db, id);
    expect(earlier).toBeGreaterThan(0);
    const another = await deploy();
    expect((await readCapacity(activities.db, another)).earlier).toBe(earlier + 1);
    const next = await tenant.session(await tenant.agent());
    expect((await readCapacity(activities.db, next.id)).earlier).toBe(earlier + 2);
    await recordEnd(id, stopped);
    expect((await readCapacity(activities.db, next.id)).earlier).toBe(earlier + 1);
    await freeze(another);
    activities.dependencies.limits.WORKER_MAX_SESSIONS = 1;
    await expect(startIt(another)).rejects.toMatchObject({
      ...{ type: 'launch_refused', message: expect.stringContaining('places for sessions are taken') },
    });
  });
});

describe('a secret in the environment of a service', () => {
  const services = [{ name: 'web', run: serviceRun, env: { TOKEN: '${WEB_TOKEN}' } }];
  let grantId: string;

  beforeEach(async () => {
    await tenant.secret('WEB_TOKEN', 'correct-horse');
    session = await startSession({ services });
    const grant = { grant_type: 'agent_env', details: { secret_name: 'WEB_TOKEN' } } as const;
    const admin = { granted_by_user_id: tenant.ada.id, granted_by_role: 'admin' } as const;
    ({ id: grantId } = await giveGrant(activities.db, session, { ...grant, ...admin, scope: 'persistent' }));
    await activities.run('validateLaunch', { sessionId: session.id });
    await activities.run('startWorkload', { sessionId: session.id });
  });

  it('is resolved at its start, and is stored nowhere', async () => {
    const id = await running();
    expect(started(id)[0]?.secrets.agentEnv).toEqual({ PORT: '8080', TOKEN: 'correct-horse' });
    expect(JSON.stringify(await rowOf(id))).not.toContain('correct-horse');
    expect(activities.logged()).not.toContain('correct-horse');
  });

  it('is refused once its grant was revoked, though the session began with it', async () => {
    const id = await deploy();
    await freeze(id);
    await revokeGrant(activities.db, grantId, { type: 'user', id: tenant.ada.id });
    await expect(startIt(id)).rejects.toMatchObject({
      type: 'launch_refused',
      message: 'The agent_env grant for secret WEB_TOKEN is no longer active',
    });
    expect(started(id)).toEqual([]);
  });

  it('is refused, by the name of the service, once it was replaced', async () => {
    const id = await deploy();
    await freeze(id);
    await tenant.secret('WEB_TOKEN', 'another');
    await expect(startIt(id)).rejects.toMatchObject({
      type: 'launch_refused',
      message: expect.stringMatching(/^service "web": secret WEB_TOKEN of variable TOKEN changed/),
    });
  });
});

describe('publishing', () => {
  it('lets the API ask at the origin that was reported, once it is the workload’s own', async () => {
    const id = await running();
    await publish(id);
    expect(await rowOf(id)).toMatchObject({ state: 'starting', address: null });
    await setReportedUrl(activities.db, id, 'http://127.0.0.1:4321/');
    await publish(id);
    expect(await rowOf(id)).toMatchObject({ state: 'running', address: 'http://127.0.0.1:4321' });
  });

  it.each(['http://10.0.0.1:4321', 'http://localhost:4321', 'https://127.0.0.1:4321', 'http://[::1]:4321'])(
    'is tried again while %s was reported',
    async (url) => {
      const id = await running();
      await setReportedUrl(activities.db, id, url);
      await expect(publish(id)).rejects.toThrow('an address that is not its own');
      expect(await rowOf(id)).toMatchObject({ state: 'starting', address: null });
    },
  );

  it('does nothing once it has ended', async () => {
    const id = await running();
    await setReportedUrl(activities.db, id, 'http://127.0.0.1:4321');
    await recordEnd(id, crashed);
    await publish(id);
    await setReportedUrl(activities.db, id, 'http://127.0.0.1:1');
    expect(await rowOf(id)).toMatchObject({
      ...{ state: 'failed', address: null, reported_url: 'http://127.0.0.1:4321' },
    });
  });
});

describe('a look', () => {
  const sidecar = { name: 'sidecar', state: 'running' } as const;

  it('finds that all is well until its preview expires', async () => {
    const id = await running();
    const found = await look(id);
    expect(found).toEqual({ ending: null, isRestarting: false, lookAgainInMs: expect.any(Number) });
    expect(found.lookAgainInMs).toBeGreaterThan(500_000);
    expect(found.lookAgainInMs).toBeLessThanOrEqual(600_000);
  });

  it('finds a workload that is not there only once it was started', async () => {
    const id = await deploy();
    expect((await look(id, { isStarted: false })).ending).toBeNull();
    expect((await look(id)).ending).toEqual({
      ...{ state: 'failed', reason: 'The service was lost: it is no longer on this runtime' },
    });
  });

  it('finds the exit of the service, and gives a gateway that restarts 30 seconds', async () => {
    const id = await running();
    const { states } = activities.runtime;
    const exited = { name: 'agent', state: 'exited', exitCode: 1, signal: null } as const;
    states.set(id, { state: 'running', containers: [sidecar, exited] });
    expect((await look(id)).ending).toEqual(crashed);
    const restarting = { name: 'sidecar', state: 'restarting' } as const;
    const agent = { name: 'agent', state: 'running' } as const;
    states.set(id, { state: 'running', containers: [restarting, agent] });
    expect(await look(id)).toMatchObject({ ending: null, isRestarting: true });
    expect(await look(id, { restartingForMs: 30_001 })).toMatchObject({
      ending: { state: 'failed', reason: 'The service ended because its gateway was lost' },
    });
  });
});

describe('the end', () => {
  it('stops the workload, and leaves no address to ask', async () => {
    const id = await running();
    await setReportedUrl(activities.db, id, 'http://127.0.0.1:4321');
    await publish(id);
    await stopIt(id);
    expect(activities.runtime.stopped).toContain(id);
    expect(await rowOf(id)).toMatchObject({ state: 'running', address: null, stopped_at: null });
    await stopIt(id);
  });

  it('is recorded once, ends the preview, and says why in the audit trail', async () => {
    const id = await running();
    expect(await recordEnd(id, crashed)).toEqual(crashed);
    const row = await rowOf(id);
    expect(row).toMatchObject({ ...crashed, stopped_at: expect.any(String) });
    expect(await previewOf(id)).toMatchObject({ ended_at: expect.any(String) });
    expect(await recordEnd(id, stopped)).toEqual(crashed);
    expect(await rowOf(id)).toEqual(row);
    const audited = await activities
      .db('audit_events')
      .where({ resource_id: id, event: 'session.preview.ended' });
    expect(audited).toEqual([
      expect.objectContaining({
        actor_type: 'system',
        data: expect.objectContaining({ service: 'web', reason: crashed.reason }),
      }),
    ]);
  });

  it('of a preview that a person ended stays theirs, and one of a removed preview is nothing', async () => {
    const id = await running();
    await endPreview(activities.db, id, { type: 'user', id: tenant.max.id });
    expect(await recordEnd(id, stopped)).toEqual(stopped);
    const audited = await activities
      .db('audit_events')
      .where({ resource_id: id, event: 'session.preview.ended' });
    expect(audited).toEqual([expect.objectContaining({ actor_id: tenant.max.id })]);
    expect(await recordEnd(randomUUID(), crashed)).toEqual(crashed);
  });

  it('of the session is told to its services, and costs it nothing when Temporal does not answer', async () => {
    const told: string[] = [];
    const { workflows } = activities.dependencies;
    activities.dependencies.workflows = {
      ...workflows,
      signalServicePreview: async (id, signal) => {
        told.push(`${signal} ${id}`);
        throw new Error('Temporal does not answer');
      },
    };
    try {
      const [runs, over] = [await running(), await running()];
      await recordEnd(over, stopped);
      const observed = { status: 'completed', reason: 'The agent exited with code 0' } as const;
      await activities.run('recordEnd', { sessionId: session.id, observed });
      expect(told).toEqual([`serviceChanged ${runs}`]);
      expect(await previewOf(runs)).toMatchObject({ ended_at: expect.any(String) });
      expect((await look(runs)).ending).toEqual(stopped);
    } finally {
      activities.dependencies.workflows = workflows;
    }
  });
});

it('a sweep for orphans leaves the services alone that are not stopped, and stops the others', async () => {
  const [runs, over] = [await running(), await running()];
  await recordEnd(over, stopped);
  const swept = await stopOrphans(activities.dependencies);
  expect(swept).toContain(over);
  expect(swept).not.toContain(runs);
});
