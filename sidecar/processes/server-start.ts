/** One start of a server: from the agent's first request to the first answer, with a timeout. */
import type { FailureCause } from '../../contract/session-process.ts';
import type { ServerFacts } from './classify-failure.ts';
import type { TrackedProcess } from './tracked-process.ts';

/** Requests that may open a connection, in the 2026 era, and may take long. A server answers every other one on its own. */
const takesItsTime = new Set(['tools/call', 'subscriptions/listen']);

export interface ServerStart {
  /** The server's side is connected: with the next byte its process starts. */
  connected(): void;
  /** A request was passed on. */
  asked(method: string): void;
  answered(): void;
  /** No connection, or its end. Null when it had answered before: then it ended and did not fail. */
  lost(): Promise<FailureCause | null>;
  /** The agent left. */
  left(): void;
}

/** For a connection of the agent to a server; calls `onTimeout` when its first answer is late. */
export type StartServer = (onTimeout: () => void) => ServerStart;

/** A server inside the sidecar. */
export const startOfLocalServer: StartServer = () => ({
  connected: () => undefined,
  asked: () => undefined,
  answered: () => undefined,
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
    const settle = (next: typeof state) => {
      clearTimeout(timer);
      state = next;
    };
    const timeOut = () => {
      settle('timed_out');
      onTimeout();
    };
    return {
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
      async lost() {
        const before = state;
        settle('over');
        if (before === 'answered' || before === 'over') {
          process.ended();
          return null;
        }
        const how = before === 'waiting' ? 'no_connection' : before === 'timed_out' ? 'timeout' : 'lost';
        return process.fail(how, facts);
      },
      left() {
        const wasConnected = state === 'connected' || state === 'answered';
        settle('over');
        if (wasConnected) {
          process.ended();
        }
      },
    };
  };
}
