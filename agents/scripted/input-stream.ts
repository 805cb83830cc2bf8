/** The messages that came and were not read yet. */
import type { InputMessage } from '../../contract/agent-contract.ts';
import type { WantedMessage } from '../../contract/scripted-instructions.ts';
import { abandonAfter } from '../../lib/timing/time-limit.ts';
import { readInput } from '../sidecar-http/read-input.ts';

export interface InputStream {
  /**
   * The next unread message of that kind that contains the text; the ones before it are
   * skipped. Null on timeout.
   */
  next(wanted: WantedMessage, timeoutMs: number): Promise<InputMessage | null>;
  close(): void;
}

/** Reads from now on, retrying while the sidecar is unreachable. */
export function openInputStream(socketPath: string): InputStream {
  const unread: InputMessage[] = [];
  let onMessage: () => void = () => undefined;
  const { close } = readInput(socketPath, (message) => {
    unread.push(message);
    onMessage();
  });
  return {
    async next(wanted, timeoutMs) {
      const deadline = Date.now() + timeoutMs;
      for (;;) {
        for (let message = unread.shift(); message; message = unread.shift()) {
          if (isWanted(wanted, message)) {
            return message;
          }
        }
        const leftMs = deadline - Date.now();
        if (leftMs <= 0) {
          return null;
        }
        const arrival = new Promise<void>((resolve) => {
          onMessage = resolve;
        });
        await abandonAfter(Math.min(leftMs, longestTimerMs), arrival, () => undefined);
      }
    },
    close,
  };
}

function isWanted({ contains = '', kind }: WantedMessage, message: InputMessage): boolean {
  return (kind === undefined || message.kind === kind) && message.text.includes(contains);
}

/** A longer timer would fire at once. */
const longestTimerMs = 24 * 3600 * 1000;
