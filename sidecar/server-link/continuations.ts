/** Calls that a server answered with a request for input, until the agent continues them (2026 revision, design 8). */
import { createHash } from 'node:crypto';
import type { Continuation, InputRequest } from '../gate/decide.ts';
import type { OpenCall } from './in-flight.ts';

interface Waiting {
  call: OpenCall;
  input: InputRequest;
  timer: NodeJS.Timeout;
}

/** Max waiting calls on one connection. */
const maxWaiting = 256;
/** As long as a session may be idle. */
const maxWaitMs = 3_600_000;

export class Continuations {
  readonly #waiting = new Set<Waiting>();
  readonly #onEnd: (call: OpenCall) => void;

  /** Calls `onEnd` for each call that was not continued. */
  constructor(onEnd: (call: OpenCall) => void) {
    this.#onEnd = onEnd;
  }

  get hasRoom(): boolean {
    return this.#waiting.size < maxWaiting;
  }

  /** Keeps the call until its next round. */
  wait(call: OpenCall, input: InputRequest): void {
    const entry: Waiting = {
      call: { ...call, rounds: call.rounds + 1 },
      input,
      timer: setTimeout(() => this.#end(entry), maxWaitMs),
    };
    this.#waiting.add(entry);
  }

  /**
   * Takes out the call that a round belongs to: same tool, identically written arguments, the server's state unchanged,
   * and answers only to what was asked. Null when there is none.
   */
  take(tool: string, argumentsDigest: string, { state, answered }: Continuation): OpenCall | null {
    for (const entry of this.#waiting) {
      const { call, input } = entry;
      const isItsRound =
        call.tool === tool &&
        call.argumentsDigest === argumentsDigest &&
        input.state === state &&
        answered.every((key) => input.asked.has(key));
      if (isItsRound) {
        this.#remove(entry);
        return call;
      }
    }
    return null;
  }

  /** Ends all waiting calls. */
  endAll(): void {
    for (const entry of [...this.#waiting]) {
      this.#end(entry);
    }
  }

  #end(entry: Waiting): void {
    this.#remove(entry);
    this.#onEnd(entry.call);
  }

  #remove(entry: Waiting): void {
    clearTimeout(entry.timer);
    this.#waiting.delete(entry);
  }
}

/** Arguments are compared as they were written: `JSON.parse` makes 9007199254740993 and 9007199254740992 equal. */
export function digestOf(rawArguments: string | null): string {
  return createHash('sha256')
    .update(rawArguments ?? '')
    .digest('base64');
}
