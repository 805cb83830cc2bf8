/** One message to a channel: attempts until it is delivered, or until no further one is worthwhile. */
import { ActivityFailure, sleep } from '@temporalio/workflow';
import type { DeliveryFailure } from '../contract/channel.ts';
import type { ChannelMessageOutcome, ChannelMessageWorkflowInput } from '../contract/workflows.ts';
import { sentenceOf } from './refusals.ts';
import * as steps from './steps.ts';

/** Between two looks whether it is its turn; doubled until it is a minute. */
const firstPauseMs = 1000;
const longestPauseMs = 60_000;
/** About six hours, as long as its attempts may take. */
const defaultMostWaits = 360;

/** A message that cannot be delivered is an outcome, with its code on the row. */
export async function channelMessageWorkflow({
  messageId,
  mostWaits = defaultMostWaits,
}: ChannelMessageWorkflowInput): Promise<ChannelMessageOutcome> {
  try {
    for (let waits = 0; waits < mostWaits; waits += 1) {
      const outcome = await steps.deliverMessage({ messageId });
      if (outcome.status !== 'pending') {
        return outcome;
      }
      await sleep(Math.min(firstPauseMs * 2 ** waits, longestPauseMs), {
        summary: 'Until other messages of its workspace are delivered',
      });
    }
  } catch (error) {
    if (!(error instanceof ActivityFailure)) {
      throw error;
    }
    return steps.recordDeliveryFailure({ messageId, failure: sentenceOf(error, 'delivery_failed') });
  }
  return steps.recordDeliveryFailure({ messageId, failure: 'timed_out' satisfies DeliveryFailure });
}
