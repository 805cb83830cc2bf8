/** One start of a server: from the agent's first request to the first answer, with a timeout. */
import type { AnswerFault } from '../../contract/answer-fault.ts';
import type { FailureCause } from '../../contract/session-process.ts';
import type { Failure, ServerFacts } from './classify-failure.ts';
import type { TrackedProcess } from './tracked-process.ts';

/**
 * Requests that may open a connection, in the 2026 protocol version, and may take long. A server answers
 * every other one on its own.
 */
const takesItsTime = new Set(['tools/call', 'subscriptions/listen']);

export interface ServerStart {
  /** From its first request to its first answer. */
  readonly limitMs: number;
  /** The server's side is connected: with the next byte its process starts. */
  connected(): void;
  /** A request was passed on. */
  asked(method: string): void;
  answered(): void;
  /** An answer of the server did not pass. */
  faulted(reason: AnswerFault): void;
  /** No connection, or its end. Null when it had answered before: then it ended and did not fail. */
  lost(): Promise<FailureCause | null>;
  /** The agent left. */
  left(): void;
}

/** For a connection of the agent to a server; calls `onTimeout` when its first answer is late. */
export type StartServer = (onTimeout: () => void) => ServerStart;

/** A server inside the sidecar. */
export const startOfLocalServer: StartServer = () => ({
  limitMs: Number.POSITIVE_INFINITY,
  connected: () => undefined,
  asked: () => undefined,
  answered: () => undefined,
  faulted: () => undefined,
  lost: async () => null,
  left: () => undefined,
});

export function createStartServer(
  process: TrackedProcess,
  facts: ServerFacts,
  limits: { handshakeTimeoutMs: number },
): StartServer {
  return (onTimeout) => {
    let state: 'waiting' | 'connected' | 'answered' | 'timed_out' | 'over' = 'waiting';
    let timer: NodeJS.Timeout | undefined;
    /** What came in place of its first answer. */
    let isUnreadable = false;
    const settle = (next: typeof state) => {
      clearTimeout(timer);
      state = next;
    };
    const timeOut = () => {
      settle('timed_out');
      onTimeout();
    };
    return {
      limitMs: limits.handshakeTimeoutMs,
      connected() {
        state = 'connected';
        process.begin();
      },
      asked(method) {
        if (state === 'connected' && timer === undefined && !takesItsTime.has(method)) {
          timer = setTimeout(timeOut, limits.handshakeTimeoutMs);
        }
      },
      answered() {
        if (state === 'connected') {
          settle('answered');
          process.ready();
        }
      },
      faulted(reason) {
        isUnreadable ||= state === 'connected' && reason !== 'not_in_time';
        process.faulted(reason);
      },
      async lost() {
        const before = state;
        settle('over');
        if (before === 'answered' || before === 'over') {
          process.ended();
          return null;
        }
        return process.fail(howOf(before, isUnreadable), facts);
      },
      left() {
        const before = state;
        settle('over');
        if (before === 'connected' && isUnreadable) {
          void process.fail('unreadable', facts);
        } else if (before === 'connected' || before === 'answered') {
          process.ended();
        }
      },
    };
  };
}

function howOf(state: 'waiting' | 'connected' | 'timed_out', isUnreadable: boolean): Failure['how'] {
  if (state === 'waiting') {
    return 'no_connection';
  }
  if (isUnreadable) {
    return 'unreadable';
  }
  return state === 'timed_out' ? 'timeout' : 'lost';
}
