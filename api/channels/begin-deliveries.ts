import { channelMessageSummary } from '../../contract/workflows.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { followUp } from '../follow-up.ts';
import type { WorkflowClient } from '../workflow-client.ts';

export interface DeliveryDependencies extends Pick<ApiDependencies, 'log'> {
  workflows: Pick<WorkflowClient, 'startChannelMessage'>;
}

/** Has each stored message delivered; a worker does it later when Temporal is unavailable now. */
export async function beginDeliveries(
  { workflows, log }: DeliveryDependencies,
  messageIds: readonly string[],
): Promise<void> {
  const begin = (id: string) =>
    followUp(log, workflows.startChannelMessage(id, channelMessageSummary), {
      message: 'the message is delivered later',
      message_id: id,
    });
  await Promise.all(messageIds.map(begin));
}
