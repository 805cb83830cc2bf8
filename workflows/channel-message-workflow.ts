/** One message to a channel: attempts until it is delivered, or until no further one is worthwhile. */
import { ActivityFailure } from '@temporalio/workflow';
import type { ChannelMessageOutcome, ChannelMessageWorkflowInput } from '../contract/workflows.ts';
import { sentenceOf } from './refusals.ts';
import * as steps from './steps.ts';

/** A message that cannot be delivered is an outcome, with its code on the row. */
export async function channelMessageWorkflow({
  messageId,
}: ChannelMessageWorkflowInput): Promise<ChannelMessageOutcome> {
  try {
    return await steps.deliverMessage({ messageId });
  } catch (error) {
    if (!(error instanceof ActivityFailure)) {
      throw error;
    }
    return steps.recordDeliveryFailure({ messageId, failure: sentenceOf(error, 'delivery_failed') });
  }
}
