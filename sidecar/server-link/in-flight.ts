/** Requests that wait for an answer on one connection; each id is answered once. */
import { idKey, type RequestId } from '../json-rpc/message.ts';

export interface OpenRequest {
  id: RequestId;
  /** Set for a tool call: its id in the audit trail. */
  call: { callId: string; tool: string } | null;
  isModern: boolean;
  timer: NodeJS.Timeout | null;
}

/** Requests that may be open in one direction at a time. */
export const maxOpen = 1024;

export class InFlight {
  readonly #open = new Map<string, OpenRequest>();
  /** Ids whose answer may still come although nobody waits for it: using one again would mix two calls up. */
  readonly #abandoned = new Set<string>();
  #onEmpty: (() => void) | null = null;

  get hasRoom(): boolean {
    return this.#open.size < maxOpen && this.#abandoned.size < maxOpen;
  }

  isOpen(id: RequestId): boolean {
    return this.#open.has(idKey(id));
  }

  isTaken(id: RequestId): boolean {
    return this.isOpen(id) || this.#abandoned.has(idKey(id));
  }

  add(request: OpenRequest): void {
    this.#open.set(idKey(request.id), request);
  }

  /** Takes the request out, because its answer is here. */
  answer(id: RequestId): OpenRequest | null {
    const request = this.#open.get(idKey(id)) ?? null;
    this.#open.delete(idKey(id));
    if (request?.timer) {
      clearTimeout(request.timer);
    }
    if (this.#open.size === 0) {
      this.#onEmpty?.();
    }
    return request;
  }

  /** Takes the request out, because nobody waits any more. */
  abandon(id: RequestId): OpenRequest | null {
    const request = this.answer(id);
    if (request) {
      this.#abandoned.add(idKey(id));
    }
    return request;
  }

  /** An answer came for an id that nobody waits for: the id is free again. */
  forget(id: RequestId): void {
    this.#abandoned.delete(idKey(id));
  }

  /** Takes all requests out. */
  drain(): OpenRequest[] {
    return [...this.#open.values()].flatMap(({ id }) => this.answer(id) ?? []);
  }

  /** Resolves when nothing is open, or the time is over. */
  whenEmpty(limitMs: number): Promise<void> {
    if (this.#open.size === 0) {
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, limitMs);
      this.#onEmpty = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
