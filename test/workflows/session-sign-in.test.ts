import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { authorizationWorkflowId, sessionWorkflowId } from '../../contract/workflows.ts';
import type { sessionWorkflow } from '../../workflows/index.ts';
import { authorizationSettled, sessionProgress, terminate } from '../../workflows/messages.ts';
import { eventually } from '../support/eventually.ts';
import { startTestWorker, type TestWorker, workflowBundle } from '../support/worker.ts';
import { ScriptedAuthorization, ScriptedPlatform, ScriptedSession } from './scripted-activities.ts';

const platform = new ScriptedPlatform();
let worker: TestWorker;

beforeAll(async () => {
  worker = await startTestWorker({ bundle: await workflowBundle(), activities: platform.activities });
});
afterAll(() => worker.stop());

async function start(script: Partial<ScriptedSession>) {
  const sessionId = randomUUID();
  const session = Object.assign(new ScriptedSession(), script);
  platform.sessions.set(sessionId, session);
  const handle = await worker.client.workflow.start<typeof sessionWorkflow>('sessionWorkflow', {
    workflowId: sessionWorkflowId(sessionId),
    taskQueue: worker.taskQueue,
    args: [{ sessionId }],
  });
  return { handle, session };
}

describe('a session whose operator has to sign in', () => {
  const server = 'tickets';

  /** Waits for so many sign-ins. */
  async function startWaiting(count: number) {
    const authorizations = Array.from({ length: count }, () => new ScriptedAuthorization());
    const waitingFor = authorizations.map((authorization) => {
      const authorizationId = randomUUID();
      platform.authorizations.set(authorizationId, authorization);
      return { authorizationId, server };
    });
    const { handle, session } = await start({ waitingFor });
    await eventually(() => expect(authorizations.every(({ calls }) => calls.length > 0)).toBe(true));
    const settle = async (at: number, status: 'connected' | 'expired' | 'cancelled') => {
      authorizations[at]?.become(status);
      const id = authorizationWorkflowId(waitingFor[at]?.authorizationId ?? '');
      await worker.client.workflow.getHandle(id).signal(authorizationSettled);
    };
    return { handle, session, settle, waitingFor };
  }

  it('starts its workload once they have signed in everywhere', async () => {
    const { handle, session, settle } = await startWaiting(2);
    expect(await handle.query(sessionProgress)).toMatchObject({ status: 'awaiting_authorization' });
    await settle(0, 'connected');
    expect(session.calls).not.toContain('startWorkload');
    await settle(1, 'connected');
    await eventually(() => expect(session.calls).toContain('started'));
    await handle.signal(terminate);
    await handle.result();
  });

  it('fails when they do not in time, and has started nothing', async () => {
    const { handle, session, settle } = await startWaiting(1);
    await settle(0, 'expired');
    expect(await handle.result()).toEqual({
      status: 'failed',
      reason: 'The operator did not sign in to tickets in time; start the session again to sign in',
    });
    expect(session.calls).not.toContain('startWorkload');
  });

  it('fails when the server is another one, or gone, before they have', async () => {
    const { handle, session, settle } = await startWaiting(2);
    await settle(0, 'connected');
    await settle(1, 'cancelled');
    expect(await handle.result()).toEqual({
      status: 'failed',
      reason:
        'tickets was changed or removed in the catalog before the operator signed in; start the session again',
    });
    expect(session.calls).not.toContain('startWorkload');
  });

  it('ends at once when it is terminated, and so does what waited for it', async () => {
    const { handle, session, waitingFor } = await startWaiting(1);
    await handle.signal(terminate);
    expect(await handle.result()).toMatchObject({ status: 'terminated' });
    expect(session.calls).not.toContain('startWorkload');
    const child = worker.client.workflow.getHandle(
      authorizationWorkflowId(waitingFor[0]?.authorizationId ?? ''),
    );
    await eventually(async () => expect((await child.describe()).status.name).toBe('CANCELLED'));
  });

  it('goes on at once when they signed in before', async () => {
    const { handle, session } = await start({ needsSignIn: true });
    await eventually(() => expect(session.calls).toContain('started'));
    expect(session.calls.slice(0, 4)).toEqual([
      'freezeConfiguration',
      'validateLaunch',
      'openAuthorizations',
      'startWorkload',
    ]);
    await handle.signal(terminate);
    await handle.result();
  });
});
