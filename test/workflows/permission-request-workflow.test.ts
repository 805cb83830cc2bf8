import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ApplicationFailure } from '@temporalio/activity';
import { WithStartWorkflowOperation, WorkflowUpdateFailedError } from '@temporalio/client';
import fc from 'fast-check';
import {
  permissionRequestWorkflowId,
  type RequestOutcome,
  sessionWorkflowId,
} from '../../contract/workflows.ts';
import type { permissionRequestWorkflow, sessionWorkflow } from '../../workflows/index.ts';
import { decide, sessionEnded, sidecarReady, workloadChanged } from '../../workflows/messages.ts';
import { eventually } from '../support/eventually.ts';
import { checkAsyncProperty } from '../support/property.ts';
import { startTestWorker, type TestWorker, workflowBundle } from '../support/worker.ts';
import { ScriptedPlatform, ScriptedRequest, ScriptedSession } from './scripted-activities.ts';

const platform = new ScriptedPlatform();
let worker: TestWorker;

beforeAll(async () => {
  worker = await startTestWorker({ bundle: await workflowBundle(), activities: platform.activities });
});
afterAll(() => worker.stop());

function script(remainingMs = 600_000): { requestId: string; request: ScriptedRequest } {
  const requestId = randomUUID();
  const request = Object.assign(new ScriptedRequest(), { sessionId: randomUUID(), remainingMs });
  platform.requests.set(requestId, request);
  return { requestId, request };
}

const options = (requestId: string) => ({
  workflowId: permissionRequestWorkflowId(requestId),
  taskQueue: worker.taskQueue,
  args: [{ requestId }] as [{ requestId: string }],
});

function start(requestId: string) {
  return worker.client.workflow.start<typeof permissionRequestWorkflow>(
    'permissionRequestWorkflow',
    options(requestId),
  );
}

/** A decision that the database settles: it takes effect only when the request is still open. */
function addDecision(
  request: ScriptedRequest,
  outcome: RequestOutcome,
  { takesMs = 0, failure }: { takesMs?: number; failure?: () => Error } = {},
): string {
  const decisionId = randomUUID();
  request.decisions.set(decisionId, async () => {
    await new Promise((resolve) => setTimeout(resolve, takesMs));
    if (failure !== undefined) {
      throw failure();
    }
    if (request.outcome !== null) {
      throw ApplicationFailure.nonRetryable('already decided', 'already_decided');
    }
    request.outcome = outcome;
    return outcome;
  });
  return decisionId;
}

const approval = (): RequestOutcome => ({ status: 'approved', grantId: randomUUID() });
const denial: RequestOutcome = { status: 'denied', grantId: null };

/** The refusal type in a failed update's error. */
async function refusalType(update: Promise<unknown>): Promise<string | null | undefined> {
  const error: unknown = await update.then(
    () => null,
    (reason: unknown) => reason,
  );
  const cause = error instanceof WorkflowUpdateFailedError ? error.cause : undefined;
  return cause instanceof ApplicationFailure ? cause.type : undefined;
}

describe('a permission request', () => {
  it.each([
    ['approved', approval()],
    ['denied', denial],
  ] as const)('closes as %s when a human decides so', async (_status, outcome) => {
    const { requestId, request } = script();
    const handle = await start(requestId);
    const decisionId = addDecision(request, outcome);
    expect(await handle.executeUpdate(decide, { args: [{ decisionId }] })).toEqual(outcome);
    expect(await handle.result()).toEqual(outcome);
    expect(request.calls).toEqual([`carry out ${decisionId}`]);
  });

  it('expires as expired, never as denied', async () => {
    const { requestId, request } = script(500);
    const handle = await start(requestId);
    expect(await handle.result()).toEqual({ status: 'expired', grantId: null });
    expect(request.calls).toEqual(['close as expired']);
  });

  it('is cancelled when its session ends', async () => {
    const { requestId, request } = script();
    const handle = await start(requestId);
    await handle.signal(sessionEnded);
    expect(await handle.result()).toEqual({ status: 'cancelled', grantId: null });
    expect(request.calls).toEqual(['close as cancelled']);
  });

  it('is cancelled in the database too when its workflow is cancelled', async () => {
    const { requestId, request } = script();
    const handle = await start(requestId);
    await handle.cancel();
    expect(await handle.result()).toEqual({ status: 'cancelled', grantId: null });
    expect(request.calls).toEqual(['close as cancelled']);
  });

  it('tells a session that runs, and needs none', async () => {
    const sessionId = randomUUID();
    const session = new ScriptedSession();
    platform.sessions.set(sessionId, session);
    const sessionHandle = await worker.client.workflow.start<typeof sessionWorkflow>('sessionWorkflow', {
      workflowId: sessionWorkflowId(sessionId),
      taskQueue: worker.taskQueue,
      args: [{ sessionId }],
    });
    session.onChange = () => sessionHandle.signal(workloadChanged);
    await sessionHandle.signal(sidecarReady);
    await eventually(() => expect(session.count('deliverInputs')).toBe(1));
    const { requestId, request } = script();
    request.sessionId = sessionId;
    const handle = await start(requestId);
    const decisionId = addDecision(request, denial);
    await handle.executeUpdate(decide, { args: [{ decisionId }] });
    await eventually(() => expect(session.count('deliverInputs')).toBe(2));
    session.exit = { kind: 'agent_exited', exitCode: 0, signal: null };
    await sessionHandle.result();
  });

  it('is decided even when its workflow was lost', async () => {
    const { requestId, request } = script();
    const outcome = approval();
    const decisionId = addDecision(request, outcome);
    const answer = await worker.client.workflow.executeUpdateWithStart(decide, {
      updateId: decisionId,
      args: [{ decisionId }],
      startWorkflowOperation: new WithStartWorkflowOperation<typeof permissionRequestWorkflow>(
        'permissionRequestWorkflow',
        { ...options(requestId), workflowIdConflictPolicy: 'USE_EXISTING' },
      ),
    });
    expect(answer).toEqual(outcome);
  });

  it('answers the same decision again with the same outcome', async () => {
    const { requestId, request } = script();
    const handle = await start(requestId);
    const outcome = approval();
    const decisionId = addDecision(request, outcome, { takesMs: 300 });
    const update = () => handle.executeUpdate(decide, { updateId: decisionId, args: [{ decisionId }] });
    expect(await Promise.all([update(), update()])).toEqual([outcome, outcome]);
    expect(request.calls).toEqual([`carry out ${decisionId}`]);
  });
});

describe('concurrent decisions', () => {
  it('refuses the second of two humans as already decided', async () => {
    const { requestId, request } = script();
    const handle = await start(requestId);
    const first = addDecision(request, approval(), { takesMs: 400 });
    const second = addDecision(request, denial);
    const deciding = handle.executeUpdate(decide, { args: [{ decisionId: first }] });
    await eventually(() => expect(request.calls).toHaveLength(1));
    expect(await refusalType(handle.executeUpdate(decide, { args: [{ decisionId: second }] }))).toBe(
      'already_decided',
    );
    expect(await deciding).toMatchObject({ status: 'approved' });
    expect(await handle.result()).toMatchObject({ status: 'approved' });
  });

  it('stays open after an approval that came too late, for a new decision', async () => {
    const { requestId, request } = script();
    const handle = await start(requestId);
    const late = addDecision(request, approval(), {
      failure: () => ApplicationFailure.nonRetryable('expired', 'approval_expired'),
    });
    expect(await refusalType(handle.executeUpdate(decide, { args: [{ decisionId: late }] }))).toBe(
      'approval_expired',
    );
    const again = addDecision(request, approval());
    expect(await handle.executeUpdate(decide, { args: [{ decisionId: again }] })).toMatchObject({
      status: 'approved',
    });
    expect(await handle.result()).toMatchObject({ status: 'approved' });
  });

  it('waits past the expiry for a decision that is being carried out', async () => {
    const { requestId, request } = script(1000);
    const handle = await start(requestId);
    const decisionId = addDecision(request, approval(), { takesMs: 2000 });
    const deciding = handle.executeUpdate(decide, { args: [{ decisionId }] });
    expect(await deciding).toMatchObject({ status: 'approved' });
    expect(await handle.result()).toMatchObject({ status: 'approved' });
    expect(request.calls).toEqual([`carry out ${decisionId}`]);
  });

  it('expires after all when the decision that was being carried out fails', async () => {
    const { requestId, request } = script(1000);
    const handle = await start(requestId);
    const decisionId = addDecision(request, approval(), {
      takesMs: 1500,
      failure: () => ApplicationFailure.nonRetryable('forged', 'approval_invalid'),
    });
    expect(await refusalType(handle.executeUpdate(decide, { args: [{ decisionId }] }))).toBe(
      'approval_invalid',
    );
    expect(await handle.result()).toEqual({ status: 'expired', grantId: null });
  });

  it('reports one outcome to everybody, whenever decision, expiry and session end meet', async () => {
    await checkAsyncProperty(
      fc.asyncProperty(
        fc.record({
          expiresMs: fc.integer({ min: 50, max: 500 }),
          approveAtMs: fc.integer({ min: 0, max: 500 }),
          denyAtMs: fc.integer({ min: 0, max: 500 }),
          endAtMs: fc.integer({ min: 100, max: 700 }),
          takesMs: fc.integer({ min: 0, max: 200 }),
        }),
        async ({ expiresMs, approveAtMs, denyAtMs, endAtMs, takesMs }) => {
          const { requestId, request } = script(expiresMs);
          const handle = await start(requestId);
          const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
          const decideAt = async (ms: number, outcome: RequestOutcome) => {
            const decisionId = addDecision(request, outcome, { takesMs });
            await pause(ms);
            return handle.executeUpdate(decide, { args: [{ decisionId }] }).catch(() => 'refused' as const);
          };
          const [approved, denied] = await Promise.all([
            decideAt(approveAtMs, approval()),
            decideAt(denyAtMs, denial),
            pause(endAtMs).then(() => handle.signal(sessionEnded).catch(() => undefined)),
          ]);
          const result = await handle.result();
          expect(result).toEqual(request.outcome);
          const accepted = [approved, denied].filter((answer) => answer !== 'refused');
          expect(accepted.length).toBeLessThanOrEqual(1);
          for (const answer of accepted) {
            expect(answer).toEqual(result);
          }
        },
      ),
      { runs: 12 },
    );
  });
});

describe('a grant that no request led to', () => {
  it('is written by the same activity, and its workflow returns its id', async () => {
    const { request } = script();
    const outcome = approval();
    const decisionId = addDecision(request, outcome);
    const result = await worker.client.workflow.execute('grantWorkflow', {
      workflowId: `grant/${outcome.grantId}`,
      taskQueue: worker.taskQueue,
      args: [{ decisionId }],
    });
    expect(result).toBe(outcome.grantId);
  });

  it('fails with the refusal of an approval that does not stand', async () => {
    const running = worker.client.workflow.execute('grantWorkflow', {
      workflowId: `grant/${randomUUID()}`,
      taskQueue: worker.taskQueue,
      args: [{ decisionId: randomUUID() }],
    });
    await expect(running).rejects.toMatchObject({ cause: { type: 'approval_invalid' } });
  });
});
