/** Activities of messages to channels that follow a script. */
import { ApplicationFailure } from '@temporalio/activity';
import type { Activities } from '../../activities/index.ts';
import type { DeliveryFailure } from '../../contract/channel.ts';

/** One message's script. */
export class ScriptedMessage {
  /** What each attempt fails with, in turn; the one after them delivers. */
  failures: (() => Error)[] = [];
  /** How often it is not its turn before the first attempt. */
  waits = 0;
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
      const script = scriptOf(messageId);
      const { calls, failures } = script;
      if (script.waits > 0) {
        script.waits -= 1;
        calls.push('wait');
        return { status: 'pending', failure: null };
      }
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
