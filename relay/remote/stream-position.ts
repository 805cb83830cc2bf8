/** Where a stream of a server is continued after its connection ends (`Last-Event-ID`). */
import { createDelays, type Delays } from '../../lib/timing/retry.ts';
import type { BridgeLimits } from './limits.ts';

const maxIdBytes = 4096;
/**
 * A server may ask for another delay before the next connection, but neither floods
 * itself nor stops the agent.
 */
const longestAskedMs = 60_000;

export class StreamPosition {
  /** As it is sent in a header; null before the first event that has one. */
  lastEventId: string | null = null;
  readonly #delays: Delays;
  #askedMs = 0;
  #connections = 0;

  constructor({ firstReconnectMs, lastReconnectMs }: BridgeLimits) {
    this.#delays = createDelays({ firstDelayMs: firstReconnectMs, maxDelayMs: lastReconnectMs });
  }

  /** Takes the id of an event. One that cannot be in a header leaves nothing to continue from. */
  passed(id: string): void {
    const bytes = Buffer.from(id);
    const isUsable =
      bytes.length > 0 && bytes.length <= maxIdBytes && bytes.every((byte) => byte >= 0x20 && byte !== 0x7f);
    this.lastEventId = isUsable ? bytes.toString('latin1') : null;
  }

  /** The server's `retry`, in milliseconds. */
  ask(delayMs: number): void {
    this.#askedMs = Math.min(delayMs, longestAskedMs);
  }

  /** A message came: the connection was of use. */
  succeeded(): void {
    this.#delays.reset();
  }

  /**
   * How long to wait before the next connection, in milliseconds; not at all before the first one of
   * the server's own stream.
   */
  nextDelayMs(): number {
    this.#connections += 1;
    return this.lastEventId === null && this.#connections === 1
      ? 0
      : Math.max(this.#delays.next(), this.#askedMs);
  }
}
