import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Sweeping, startLostWorkflows, sweepParts, tellAgain } from '../../../bin/worker/sweep.ts';
import { type WorkloadWatch, watchWorkloads } from '../../../bin/worker/watch-workloads.ts';
import { createCheck } from '../../../commands/mcp-checks/checks.ts';
import { openAuthorization } from '../../../commands/oauth-authorizations/authorizations.ts';
import { askForPermission } from '../../../commands/permission-requests/ask.ts';
import { closePermissionRequest } from '../../../commands/permission-requests/close.ts';
import { recordProcess } from '../../../commands/session-processes/processes.ts';
import { moveSession } from '../../../commands/sessions/move.ts';
import { emptyManifest } from '../../../contract/catalog.ts';
import { runPattern } from '../../../contract/run-pattern.mjs';
import type { Session } from '../../../contract/session.ts';
import {
  authorizationWorkflowId,
  permissionRequestWorkflowId,
  sessionWorkflowId,
} from '../../../contract/workflows.ts';
import { settled } from '../../../runtime/settled.ts';
import { readAgent } from '../../../store/agents/agents.ts';
import { moveCheck, readCheck } from '../../../store/mcp-checks/checks.ts';
import { storeCheckText } from '../../../store/mcp-checks/texts.ts';
import { readRegistrationOf } from '../../../store/mcp-registrations/registrations.ts';
import { listUnattendedAuthorizations } from '../../../store/oauth-authorizations/authorizations.ts';
import { readPermissionRequest } from '../../../store/permission-requests/requests.ts';
import { addSessionInput } from '../../../store/session-inputs/inputs.ts';
import { listUntoldSessions } from '../../../store/sessions/list.ts';
import { readSession, requestEnding, setControlUrl } from '../../../store/sessions/sessions.ts';
import { asSummary } from '../../../store/sessions/workflow-summaries.ts';
import { createWorkspaceOf } from '../../../store/workspaces/workspace-of.ts';
import { createWorkflows } from '../../../workflows/client.ts';
import { createSchedules } from '../../../workflows/schedules-client.ts';
import { createTestActivities, type TestActivities } from '../../support/activities.ts';
import { startActivityWorker } from '../../support/activity-worker.ts';
import { eventually } from '../../support/eventually.ts';
import { callKeys, freezeGates } from '../../support/granted.ts';
import { type Tenant, testMasterKeys } from '../../support/tenant.ts';
import type { TestWorker } from '../../support/worker.ts';

let activities: TestActivities;
let tenant: Tenant;
let worker: TestWorker;
let watch: WorkloadWatch;

beforeAll(async () => {
  activities = await createTestActivities();
  tenant = await activities.tenant();
  worker = await startActivityWorker(activities.dependencies);
  watch = watchWorkloads({
    ...activities.dependencies,
    workspaceOf: createWorkspaceOf(activities.db),
    workflows: workflows(),
  });
});
afterAll(async () => {
  watch.stop();
  await worker.stop();
  await activities.drop();
});

const workflows = () => createWorkflows(worker.client.workflow, worker.taskQueue);
const sweeping = () => ({
  dependencies: activities.dependencies,
  workflows: workflows(),
  workloads: watch,
  outputKeptSeconds: 3600,
  checkKeptSeconds: 3600,
  refusedCallKeptSeconds: 3600,
  channelMessagesKeptSeconds: 3600,
  scheduleRunsKeptSeconds: 3600,
  schedules: createSchedules(worker.client.schedule, worker.taskQueue),
});
/** Aborted by nobody. */
const unstopped = new AbortController().signal;
const sweep = () => startLostWorkflows(sweeping());
const wholeSweep = (all: Sweeping) =>
  settled(Object.values(sweepParts(all)).map((part) => part(0, unstopped)));
const untold = async (sessionId: string) =>
  (await listUntoldSessions(activities.db, { undeliveredSeconds: 30 }))
    .filter(({ id }) => id === sessionId)
    .map(({ signal }) => signal);
const sessionIs = (id: string, expected: object) =>
  eventually(async () => expect(await readSession(activities.db, id)).toMatchObject(expected));

/** Starts the workflow of a running session. */
async function running() {
  const session = await tenant.session(await tenant.agent());
  await sweep();
  await sessionIs(session.id, { status: 'starting' });
  const handle = worker.client.workflow.getHandle(sessionWorkflowId(session.id));
  await handle.signal('sidecarReady');
  await sessionIs(session.id, { status: 'running' });
  return { session, handle };
}

describe('a message that did not reach its session', () => {
  it('is resent: a message that waits too long', async () => {
    const { session, handle } = await running();
    const messages: unknown[] = [];
    const sidecar = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => {
        messages.push(...(body === '' ? [] : JSON.parse(body).messages));
        response.end(JSON.stringify({ ok: true, last_seq: messages.length }));
      });
    });
    await new Promise<void>((resolve) => sidecar.listen(0, '127.0.0.1', resolve));
    const address = sidecar.address();
    const port = typeof address === 'object' ? address?.port : 0;
    await setControlUrl(activities.db, session.id, `http://127.0.0.1:${port}`);
    const message = { id: randomUUID(), kind: 'user_message', text: 'Hi' } as const;
    await addSessionInput(activities.db, session.id, { ...message, decision: null, inputRequestId: null });
    expect(await untold(session.id)).toEqual([]);
    await activities
      .db('session_inputs')
      .where({ id: message.id })
      .update({ at: activities.db.raw(`now() - interval '1 minute'`) });
    expect(await untold(session.id)).toEqual(['inputAvailable']);
    await tellAgain(sweeping());
    await eventually(() => expect(messages).toMatchObject([{ id: message.id, text: 'Hi' }]));
    await eventually(async () => expect(await untold(session.id)).toEqual([]));
    sidecar.close();
    await handle.signal('terminate');
    await sessionIs(session.id, { status: 'terminated' });
  });

  it('is resent: a request to end', async () => {
    const { session } = await running();
    const by = { type: 'user', id: tenant.max.id } as const;
    await requestEnding(activities.db, session.id, {
      by,
      status: 'terminated',
      reason: 'Enough',
      summary: null,
    });
    await tellAgain(sweeping());
    await sessionIs(session.id, { status: 'terminated', status_reason: 'Enough' });
    await tellAgain(sweeping());
  });
});

describe('a sign-in at a remote server', () => {
  async function open(session: Session): Promise<string> {
    const shape = { type: 'remote', url: 'https://127.0.0.1:1/mcp' } as const;
    const { id } = await tenant.server(`remote-${randomUUID().slice(0, 8)}`, emptyManifest, { shape });
    const registration = await readRegistrationOf(activities.db, id);
    const opened = await openAuthorization(activities.db, session, {
      registrationId: registration?.id ?? '',
      userId: tenant.max.id,
      scopes: [],
      missingScopes: null,
      expirySeconds: 600,
    });
    return opened.result === 'opened' ? opened.id : '';
  }

  it('whose workflow was never started is waited for, until it is too late', async () => {
    const { session, handle: ofSession } = await running();
    const id = await open(session);
    await sweep();
    const handle = worker.client.workflow.getHandle(authorizationWorkflowId(id));
    expect((await handle.describe()).status.name).toBe('RUNNING');
    await activities.db('oauth_authorizations').where({ id }).update({ expires_at: activities.db.fn.now() });
    await workflows().settleAuthorization(id);
    expect(await handle.result()).toEqual({ status: 'expired' });
    await ofSession.signal('terminate');
    await sessionIs(session.id, { status: 'terminated' });
  });

  it('that a launch waits for is left to the session’s own workflow, which could not start it a second time', async () => {
    const { db } = activities;
    const session = await tenant.session(await tenant.agent());
    await moveSession(db, session.id, { to: 'awaiting_authorization', reason: null });
    const id = await open(session);
    expect(await listUnattendedAuthorizations(db)).not.toContainEqual({ id });
    await moveSession(db, session.id, { to: 'starting', reason: null });
    expect(await listUnattendedAuthorizations(db)).toContainEqual({ id });
    await moveSession(db, session.id, { to: 'failed', reason: 'enough' });
    expect(await listUnattendedAuthorizations(db)).not.toContainEqual({ id });
  });
});

it('is resent also while the runtime does not answer', async () => {
  const { session } = await running();
  const by = { type: 'user', id: tenant.max.id } as const;
  const ending = { by, status: 'terminated', reason: 'Enough', summary: null } as const;
  await requestEnding(activities.db, session.id, ending);
  const list = () => Promise.reject(new Error('no engine answers'));
  const runtime = Object.assign(Object.create(activities.runtime), { list });
  const { dependencies, ...rest } = sweeping();
  await expect(wholeSweep({ ...rest, dependencies: { ...dependencies, runtime } })).rejects.toThrow(
    'no engine answers',
  );
  await sessionIs(session.id, { status: 'terminated' });
});

it('a workflow is named after its owner', async () => {
  const { session, handle } = await running();
  const { name } = (await readAgent(activities.db, session.agent_id)) ?? {};
  expect(await (await handle.describe()).staticSummary()).toBe(
    `Session of ${name} in ${tenant.workspace.slug}`,
  );
  await handle.signal('terminate');
  await sessionIs(session.id, { status: 'terminated' });
});

it('the longest name is not too long for Temporal', () => {
  expect(Buffer.byteLength(asSummary('🜁'.repeat(300)))).toBeLessThanOrEqual(400);
  expect(asSummary('Session of writer in demo')).toBe('Session of writer in demo');
});

describe('what a lost process left behind', () => {
  it('a session whose workflow was never started begins, and starting it again changes nothing', async () => {
    const { id } = await tenant.session(await tenant.agent());
    await sweep();
    await sweep();
    await sessionIs(id, { status: 'starting' });
    const handle = worker.client.workflow.getHandle(sessionWorkflowId(id));
    await handle.signal('sidecarReady');
    await sessionIs(id, { status: 'running' });
    const started = activities.runtime.started.map(({ configuration }) => configuration.session_id);
    expect(started.filter((sessionId) => sessionId === id)).toHaveLength(1);
    await handle.signal('terminate');
    await sessionIs(id, { status: 'terminated' });
    expect(await activities.runtime.list()).toEqual([]);
  });

  it('a session whose workflow was lost while it ran ends with a reason, and its workload is stopped', async () => {
    const { id } = await tenant.session(await tenant.agent());
    await moveSession(activities.db, id, { to: 'running', reason: null });
    activities.runtime.states.set(id, { state: 'running', containers: [] });
    await sweep();
    await sessionIs(id, {
      status: 'failed',
      status_reason: 'The record of what this session was doing was lost, so it cannot continue',
    });
    expect(activities.runtime.stopped).toContain(id);
  });

  it('an unwatched request expires', async () => {
    const session = await tenant.session(await tenant.agent());
    const requestId = randomUUID();
    await askForPermission(
      activities.db,
      callKeys,
      session.id,
      {
        request_id: requestId,
        grant_type: 'tool_scope',
        details: { scope: 'files.write' },
        scope: 'once',
        justification: '',
        refused_call: null,
      },
      { openRequests: 10, denialMuteSeconds: 0, expirySeconds: 2 },
    );
    await sweep();
    const handle = worker.client.workflow.getHandle(permissionRequestWorkflowId(requestId));
    expect(await handle.result()).toEqual({ status: 'expired', grantId: null });
    expect(await readPermissionRequest(activities.db, requestId)).toMatchObject({ status: 'expired' });
    await worker.client.workflow.getHandle(sessionWorkflowId(session.id)).cancel();
    await sessionIs(session.id, { status: 'terminated' });
  });
});

it('erases the output of processes after its retention, and keeps their state', async () => {
  const written = async () => {
    const session = await tenant.session(await tenant.agent());
    const report = { kind: 'agent', name: 'agent', state: 'ended', exit_code: 0, signal: null } as const;
    await recordProcess(activities.db, testMasterKeys(), session, {
      ...report,
      cause: null,
      handshake_ms: null,
      sidecar_run: randomUUID(),
      revision: 1,
      starts: 1,
      output: { base64: Buffer.from('what it wrote').toString('base64'), written_bytes: 13 },
    });
    return session;
  };
  const [old, young, removed] = [await written(), await written(), await written()];
  await activities
    .db('session_processes')
    .where({ session_id: old.id })
    .update({ output_updated_at: activities.db.raw(`now() - interval '2 hours'`) });
  await activities.db('sessions').where({ id: removed.id }).delete();
  await wholeSweep(sweeping());
  const outputOf = ({ id }: { id: string }) => activities.db('session_processes').where({ session_id: id });
  expect(await outputOf(old)).toMatchObject([
    { state: 'ended', sealed_output: null, sealed_data_key: null, output_size_bytes: null },
  ]);
  expect(await outputOf(young)).toMatchObject([{ sealed_output: expect.any(Buffer), output_size_bytes: 13 }]);
  expect(await outputOf(removed)).toEqual([]);
});

it('erases the refused call of a request a while after it was closed, and of no open one', async () => {
  const agent = await tenant.agent();
  const asked = async () => {
    const session = await freezeGates(activities.db, await tenant.session(agent), agent);
    const request = {
      request_id: randomUUID(),
      grant_type: 'tool_scope',
      details: { scope: 'files.write' },
      scope: 'once',
      justification: '',
      refused_call: { server: 'files', tool: 'write_file', arguments: '{}' },
    } as const;
    const limits = { openRequests: 10, denialMuteSeconds: 0, expirySeconds: 3600 };
    await askForPermission(activities.db, callKeys, session.id, request, limits);
    return request.request_id;
  };
  const [open, young, old] = [await asked(), await asked(), await asked()];
  for (const id of [young, old]) {
    await closePermissionRequest(activities.db, id, { status: 'expired' });
  }
  const longAgo = activities.db.raw(`now() - interval '2 hours'`);
  await activities.db('permission_requests').where({ id: open }).update({ created_at: longAgo });
  await activities.db('permission_requests').where({ id: old }).update({ decided_at: longAgo });
  await sweepParts(sweeping())['erase refused calls']?.(0, unstopped);
  const kept = activities.db('permission_request_calls').whereIn('request_id', [open, young, old]);
  expect(new Set(await kept.pluck('request_id'))).toEqual(new Set([open, young]));
  const { refused_call: call } = (await readPermissionRequest(activities.db, old)) ?? {};
  expect(call).toMatchObject({ digest: expect.any(String), arguments_size_bytes: 2 });
  await activities.db('sessions').where({ agent_id: agent.id }).delete();
});

describe('a check of a catalog entry', () => {
  const insert = async () => {
    const name = `server-${randomUUID().slice(0, 8)}`;
    await tenant.server(name, emptyManifest);
    const stored = await createCheck(activities.db, {
      workspaceId: tenant.workspace.id,
      serverName: name,
      env: {},
      startedBy: tenant.ada.id,
      idempotencyKey: null,
      judge: runPattern,
      quotas: { LIMIT_RUNNING_CHECKS_PER_USER: 10, LIMIT_RUNNING_CHECKS_PER_WORKSPACE: 10 },
    });
    if (stored.result !== 'stored') {
      throw new Error(`the check was not stored: ${stored.result}`);
    }
    return stored.check;
  };
  const ended = (id: string, expected: object) =>
    eventually(async () => expect(await readCheck(activities.db, id)).toMatchObject(expected));

  it('is started when the API was lost before it started the workflow', async () => {
    const { id } = await insert();
    await sweep();
    await eventually(async () => expect((await activities.runtime.inspect(id)).state).toBe('running'));
    activities.runtime.states.set(id, { state: 'lost', reason: 'its host is gone' });
    await ended(id, { status: 'failed', reason: 'What the check ran was lost; check again' });
    expect(activities.runtime.stopped).toContain(id);
  });

  it('that ended is removed after its retention', async () => {
    const [old, young] = [await insert(), await insert()];
    const end = (id: string, age: string) =>
      activities
        .db('mcp_checks')
        .where({ id })
        .update({ status: 'failed', ended_at: activities.db.raw('now() - ?::interval', [age]) });
    for (const { id } of [old, young]) {
      const key = { workspaceId: tenant.workspace.id, checkId: id, kind: 'output' } as const;
      await storeCheckText(activities.db, testMasterKeys(), key, {
        bytes: Buffer.from('x'),
        writtenBytes: 1,
      });
    }
    await end(old.id, '2 hours');
    await end(young.id, '1 minute');
    await wholeSweep(sweeping());
    expect(await readCheck(activities.db, old.id)).toBeNull();
    expect(await readCheck(activities.db, young.id)).not.toBeNull();
    const ids = [old.id, young.id];
    const kept = await activities.db('mcp_check_texts').whereIn('check_id', ids).pluck('check_id');
    expect(kept).toEqual([young.id]);
  });

  it('that was started and whose workflow is lost ends, and is not run a second time', async () => {
    const { id } = await insert();
    await moveCheck(activities.db, id, 'running');
    await sweep();
    await ended(id, { status: 'failed' });
    expect(activities.runtime.started.map(({ configuration }) => configuration.session_id)).not.toContain(id);
  });
});
