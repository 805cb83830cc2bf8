/** Activities of messages to channels that follow a script. */
import { ApplicationFailure } from '@temporalio/activity';
import type { Activities } from '../../activities/index.ts';
import type { DeliveryFailure } from '../../contract/channel.ts';

/** One message's script. */
export class ScriptedMessage {
  /** What each attempt fails with, in turn; the one after them delivers. */
  failures: (() => Error)[] = [];
  readonly calls: string[] = [];
}

/** What an attempt fails with that may be repeated; without a pause of its own, so that no test waits. */
export const tryAgain = (failure: DeliveryFailure) => () =>
  ApplicationFailure.create({ type: 'delivery_failed', message: failure, nextRetryDelay: 1 });

export function messageActivities(
  messages: ReadonlyMap<string, ScriptedMessage>,
): Pick<Activities, 'deliverMessage' | 'recordDeliveryFailure'> {
  const scriptOf = (messageId: string) => {
    const script = messages.get(messageId);
    if (script === undefined) {
      throw ApplicationFailure.nonRetryable(`no script for message ${messageId}`);
    }
    return script;
  };
  return {
    deliverMessage: async ({ messageId }) => {
      const { calls, failures } = scriptOf(messageId);
      calls.push('deliver');
      const failure = failures.shift();
      if (failure !== undefined) {
        throw failure();
      }
      return { status: 'delivered', failure: null };
    },
    recordDeliveryFailure: async ({ messageId, failure }) => {
      scriptOf(messageId).calls.push(`record ${failure}`);
      return { status: 'failed', failure: 'receiver_failed' };
    },
  };
}
