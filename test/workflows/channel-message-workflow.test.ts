import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ApplicationFailure } from '@temporalio/activity';
import {
  channelMessageSummary,
  channelMessageWorkflowContract,
  channelMessageWorkflowId,
} from '../../contract/workflows.ts';
import { createWorkflows } from '../../workflows/client.ts';
import type { channelMessageWorkflow } from '../../workflows/index.ts';
import { startTestWorker, type TestWorker, workflowBundle } from '../support/worker.ts';
import { ScriptedPlatform } from './scripted-activities.ts';
import { ScriptedMessage, tryAgain } from './scripted-messages.ts';

const platform = new ScriptedPlatform();
let worker: TestWorker;

beforeAll(async () => {
  worker = await startTestWorker({ bundle: await workflowBundle(), activities: platform.activities });
});
afterAll(() => worker.stop());

const handleOf = (id: string) =>
  worker.client.workflow.getHandle<typeof channelMessageWorkflow>(channelMessageWorkflowId(id));

async function run(failures: ScriptedMessage['failures'] = [], waits = 0) {
  const id = randomUUID();
  const message = Object.assign(new ScriptedMessage(), { failures, waits });
  platform.messages.set(id, message);
  const { startChannelMessage } = createWorkflows(worker.client.workflow, worker.taskQueue);
  await startChannelMessage(id, channelMessageSummary);
  return { id, outcome: await handleOf(id).result(), calls: message.calls };
}

describe('a message to a channel', () => {
  it('is delivered', async () => {
    const { outcome, calls } = await run();
    expect(outcome).toEqual({ status: 'delivered', failure: null });
    expect(calls).toEqual(['deliver']);
  });

  it('is tried again until it is delivered', async () => {
    const { outcome, calls } = await run([tryAgain('receiver_failed'), tryAgain('rate_limited')]);
    expect(outcome).toMatchObject({ status: 'delivered' });
    expect(calls).toEqual(['deliver', 'deliver', 'deliver']);
  });

  it('is given up after ten attempts, with the code of the last one', async () => {
    const failures = [...Array.from({ length: 9 }, () => tryAgain('receiver_failed')), tryAgain('timed_out')];
    const { outcome, calls } = await run([...failures, tryAgain('unreachable')]);
    expect(outcome).toMatchObject({ status: 'failed' });
    expect(calls).toEqual([...failures.map(() => 'deliver'), 'record timed_out']);
  });

  it('waits for its turn among those of its workspace, which is no attempt', async () => {
    const { outcome, calls } = await run([tryAgain('receiver_failed')], 1);
    expect(outcome).toEqual({ status: 'delivered', failure: null });
    expect(calls).toEqual(['wait', 'deliver', 'deliver']);
  });

  it('is given up when it was not its turn for hours', async () => {
    const id = randomUUID();
    const message = Object.assign(new ScriptedMessage(), { waits: 3 });
    platform.messages.set(id, message);
    const outcome = await worker.client.workflow.execute<typeof channelMessageWorkflow>(
      channelMessageWorkflowContract.type,
      {
        workflowId: channelMessageWorkflowId(id),
        taskQueue: worker.taskQueue,
        args: [{ messageId: id, mostWaits: 2 }],
      },
    );
    expect(outcome).toMatchObject({ status: 'failed' });
    expect(message.calls).toEqual(['wait', 'wait', 'record timed_out']);
  });

  it('quotes no failure but a code', async () => {
    const { calls } = await run([() => ApplicationFailure.nonRetryable('a secret')]);
    expect(calls).toEqual(['deliver', 'record null']);
  });

  it('has the workflow’s own id, and its activity a queue of its own', async () => {
    const { id } = await run();
    const { events } = await handleOf(id).fetchHistory();
    const scheduled = events?.flatMap((event) => event.activityTaskScheduledEventAttributes ?? []);
    expect(scheduled?.map(({ taskQueue }) => taskQueue?.name)).toEqual([`${worker.taskQueue}-deliveries`]);
  });
});
