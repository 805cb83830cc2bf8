/** Runs of messages to channels whose histories are recorded, as those of `scenarios.ts`. */
import { randomUUID } from 'node:crypto';
import { ApplicationFailure } from '@temporalio/activity';
import { channelMessageSummary, channelMessageWorkflowId } from '../../contract/workflows.ts';
import { createWorkflows } from '../../workflows/client.ts';
import { ScriptedMessage, tryAgain } from '../workflows/scripted-messages.ts';
import type { Recorded, Scenario, Stage } from './scenarios.ts';

async function play({ worker, platform }: Stage, failures: ScriptedMessage['failures']): Promise<Recorded> {
  const messageId = randomUUID();
  platform.messages.set(messageId, Object.assign(new ScriptedMessage(), { failures }));
  const { startChannelMessage } = createWorkflows(worker.client.workflow, worker.taskQueue);
  await startChannelMessage(messageId, channelMessageSummary);
  const workflowId = channelMessageWorkflowId(messageId);
  await worker.client.workflow.getHandle(workflowId).result();
  return { workflowId };
}

export const messageScenarios: Record<string, Scenario> = {
  'message-delivered-after-a-failure': (stage) => play(stage, [tryAgain('receiver_failed')]),
  'message-given-up': (stage) =>
    play(stage, [() => ApplicationFailure.nonRetryable('timed_out', 'delivery_failed')]),
};
