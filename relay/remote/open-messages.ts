/** One message of the agent on its way, and a request until it has its answer. */
import type { AgentMessage } from './agent-message.ts';
import type { BridgeLimits } from './limits.ts';
import { RemoteError, type RequestId } from './remote-error.ts';
import { StreamPosition } from './stream-position.ts';

export class OpenMessage {
  /** Names it and its stream within this process. */
  readonly key: string;
  readonly message: AgentMessage;
  readonly position: StreamPosition;
  /** Resolves when it was sent, or never will be. */
  readonly sent: Promise<void>;
  #resolveSent = () => {};
  #isSent = false;
  #bytes: Buffer;
  readonly #ending = new AbortController();

  constructor(key: string, message: AgentMessage, bytes: Buffer, limits: BridgeLimits) {
    this.key = key;
    this.message = message;
    this.#bytes = bytes;
    this.position = new StreamPosition(limits);
    this.sent = new Promise((resolve) => {
      this.#resolveSent = resolve;
    });
  }

  /** Null for a message that nothing answers. */
  get id(): RequestId | null {
    return this.message.kind === 'request' ? this.message.id : null;
  }

  /** Whether it is of 2026-07-28 or later: its answer's stream is all there is of it. */
  get isModern(): boolean {
    return this.message.kind !== 'response' && this.message.revision !== null;
  }

  /** Aborted when nothing is expected any more. */
  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  /** As the agent wrote it. */
  get bytes(): Buffer {
    return this.#bytes;
  }

  /** Its bytes are not sent again: many requests may wait for long. */
  release(): void {
    this.#bytes = Buffer.alloc(0);
  }

  get isSent(): boolean {
    return this.#isSent;
  }

  markSent(): void {
    this.#isSent = true;
    this.#resolveSent();
  }

  /** Ends its request and its stream. */
  end(): void {
    this.#resolveSent();
    this.#ending.abort();
  }
}

/** The messages that are on their way. */
export class OpenMessages {
  readonly #limits: BridgeLimits;
  readonly #byKey = new Map<string, OpenMessage>();
  #last = 0;

  constructor(limits: BridgeLimits) {
    this.#limits = limits;
  }

  /** Throws RemoteError when the id is in use, or too many requests are open. */
  add(message: AgentMessage, bytes: Buffer): OpenMessage {
    if (message.kind === 'request') {
      this.#check(message.id);
    }
    this.#last += 1;
    const open = new OpenMessage(String(this.#last), message, bytes, this.#limits);
    this.#byKey.set(open.key, open);
    return open;
  }

  #check(id: RequestId): void {
    if (this.byId(id) !== null) {
      throw new RemoteError(
        'invalid_message',
        'A request with this id waits for its answer; use another id.',
      );
    }
    const { openRequests } = this.#limits;
    if (this.requests().length >= openRequests) {
      throw new RemoteError(
        'too_many_requests',
        `${openRequests} requests to the remote server wait for their answers; wait for one of them, or cancel it.`,
      );
    }
  }

  byKey(key: string): OpenMessage | null {
    return this.#byKey.get(key) ?? null;
  }

  byId(id: RequestId): OpenMessage | null {
    return this.requests().find((open) => open.id === id) ?? null;
  }

  closeAll(): void {
    for (const open of this.#byKey.values()) {
      this.close(open);
    }
  }

  requests(): OpenMessage[] {
    return [...this.#byKey.values()].filter(({ message }) => message.kind === 'request');
  }

  /** Resolves when none is still to be sent. */
  async allSent(): Promise<void> {
    await Promise.all([...this.#byKey.values()].map(({ sent }) => sent));
  }

  /** Forgets it and ends its request. False when that was done before. */
  close(open: OpenMessage): boolean {
    open.end();
    return this.#byKey.delete(open.key);
  }
}
