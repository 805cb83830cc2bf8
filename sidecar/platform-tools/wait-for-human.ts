import type { InputMessage } from '../../contract/agent-contract.ts';
import { type ToolDependencies, ToolFailure } from './tool.ts';

export interface HumanWait {
  /** The message that answers, past or future; null on timeout. */
  messageThat(matches: (message: InputMessage) => boolean, signal: AbortSignal): Promise<InputMessage | null>;
  /** Releases the reservation. Idempotent. */
  end(): void;
}

/**
 * Reserves a wait for a human before the human is asked. Throws ToolFailure `rate_limited` when the max
 * number of waits is reached; 0 seconds are no wait.
 */
export async function reserveWait(
  { waits, inbox, maxWaitSeconds }: Pick<ToolDependencies, 'waits' | 'inbox' | 'maxWaitSeconds'>,
  waitSeconds: number,
): Promise<HumanWait> {
  const waitMs = Math.min(waitSeconds, maxWaitSeconds) * 1000;
  const release = waitMs > 0 ? waits.tryAcquire() : () => undefined;
  if (release === null) {
    throw new ToolFailure(
      'rate_limited',
      'too many calls of this session wait for a human already; use wait_seconds 0, the answer also arrives as a message',
    );
  }
  return {
    messageThat: (matches, signal) => inbox.waitFor(matches, waitMs, signal),
    end: release,
  };
}
