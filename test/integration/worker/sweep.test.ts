import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createActivities } from '../../../activities/index.ts';
import { startLostWorkflows } from '../../../bin/worker/sweep.ts';
import { permissionRequestWorkflowId, sessionWorkflowId } from '../../../contract/workflow-ids.ts';
import { openPermissionRequest } from '../../../store/permission-requests/open.ts';
import { readPermissionRequest } from '../../../store/permission-requests/read.ts';
import { moveSession } from '../../../store/sessions/move-session.ts';
import { readSession } from '../../../store/sessions/read-session.ts';
import { createTestActivities, type TestActivities } from '../../support/activities.ts';
import { eventually } from '../../support/eventually.ts';
import type { Tenant } from '../../support/tenant.ts';
import { startTestWorker, type TestWorker, workflowBundle } from '../../support/worker.ts';

let activities: TestActivities;
let tenant: Tenant;
let worker: TestWorker;

beforeAll(async () => {
  activities = await createTestActivities();
  tenant = await activities.tenant();
  worker = await startTestWorker({
    bundle: await workflowBundle(),
    activities: createActivities(activities.deps),
  });
});
afterAll(async () => {
  await worker.stop();
  await activities.drop();
});

const sweep = () =>
  startLostWorkflows({
    deps: activities.deps,
    workflows: worker.client.workflow,
    taskQueue: worker.taskQueue,
  });
const sessionIs = (id: string, expected: object) =>
  eventually(async () => expect(await readSession(activities.db, id)).toMatchObject(expected));

describe('what a lost process left behind', () => {
  it('a session whose workflow was never started begins, and starting it again changes nothing', async () => {
    const { id } = await tenant.session(await tenant.agent());
    await sweep();
    await sweep();
    await sessionIs(id, { status: 'starting' });
    const handle = worker.client.workflow.getHandle(sessionWorkflowId(id));
    await handle.signal('sidecarReady');
    await sessionIs(id, { status: 'running' });
    expect(activities.runtime.started).toHaveLength(1);
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
      status_reason: 'The record of what this session was doing was lost, so it cannot go on',
    });
    expect(activities.runtime.stopped).toContain(id);
  });

  it('a request that nobody watched any more expires', async () => {
    const session = await tenant.session(await tenant.agent());
    const requestId = randomUUID();
    await openPermissionRequest(
      activities.db,
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
