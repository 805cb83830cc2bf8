/**
 * The messages for the agent, in order, as the platform has them. Readers may start late,
 * read twice and reconnect.
 */
import type { InputMessage } from '../../contract/agent-contract.ts';

/** A message is missing before the ones that were sent: the platform resends from `expectedSeq`. */
export class InputGapError extends Error {
  override name = 'InputGapError';
  readonly expectedSeq: number;

  constructor(expectedSeq: number) {
    super(`messages are taken in order; the next one is number ${expectedSeq}`);
    this.expectedSeq = expectedSeq;
  }
}

export interface Inbox {
  readonly lastSeq: number;
  /**
   * Accepts messages in order; duplicates are dropped by id. Throws InputGapError, having
   * accepted those before the gap.
   */
  accept(messages: readonly InputMessage[]): void;
  after(seq: number): InputMessage[];
  /** Calls back once for each message that is accepted from now on. Returns a function to unsubscribe. */
  subscribe(listener: (message: InputMessage) => void): () => void;
  /** The first message, past or future, that `matches`; null on timeout or when `signal` aborts. */
  waitFor(
    matches: (message: InputMessage) => boolean,
    timeoutMs: number,
    signal?: AbortSignal,
  ): Promise<InputMessage | null>;
}

export function createInbox(): Inbox {
  const messages: InputMessage[] = [];
  const knownIds = new Set<string>();
  const listeners = new Set<(message: InputMessage) => void>();

  const subscribe: Inbox['subscribe'] = (listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };

  return {
    get lastSeq() {
      return messages.at(-1)?.seq ?? 0;
    },
    accept(incoming) {
      for (const message of incoming) {
        if (knownIds.has(message.id)) {
          continue;
        }
        if (message.seq !== this.lastSeq + 1) {
          throw new InputGapError(this.lastSeq + 1);
        }
        knownIds.add(message.id);
        messages.push(message);
        for (const listener of listeners) {
          listener(message);
        }
      }
    },
    // The sequence starts at 1 and has no gap, so a number is a position.
    after: (seq) => messages.slice(seq),
    subscribe,
    waitFor(matches, timeoutMs, signal) {
      const past = messages.find(matches);
      if (past || timeoutMs <= 0 || signal?.aborted) {
        return Promise.resolve(past ?? null);
      }
      return new Promise((resolve) => {
        const settle = (message: InputMessage | null) => {
          clearTimeout(timer);
          stop();
          signal?.removeEventListener('abort', onAbort);
          resolve(message);
        };
        const onAbort = () => settle(null);
        const timer = setTimeout(onAbort, timeoutMs);
        const stop = subscribe((message) => {
          if (matches(message)) {
            settle(message);
          }
        });
        signal?.addEventListener('abort', onAbort, { once: true });
      });
    },
  };
}
