/** Requests that wait for an answer on one connection; each id is answered once. */
import { idSlot, type RequestId } from '../json-rpc/message.ts';

/** A tool call from its first round to its last: one check, one record. */
export interface OpenCall {
  /** Its id in the audit trail. */
  callId: string;
  tool: string;
  scope: string | null;
  /** How its arguments were written, by digest; null where no further round can follow. */
  argumentsDigest: string | null;
  /** How often the server answered with a request for input. */
  rounds: number;
}

export interface OpenRequest {
  id: RequestId;
  method: string;
  call: OpenCall | null;
  isModern: boolean;
  timer: NodeJS.Timeout | null;
}

/** Max open requests in one direction at a time. */
export const maxOpen = 1024;
/** Servers need not answer what was cancelled, so these stay as long as the connection does. */
const maxAbandoned = 16 * maxOpen;

export class InFlight {
  /** By slot: no two ids that a reader could take for the same are in flight together. */
  readonly #open = new Map<string, OpenRequest>();
  /** Ids whose answer may still arrive although nobody waits for it: reusing one would mix up two calls. */
  readonly #abandoned = new Map<string, RequestId>();
  #onEmpty: (() => void) | null = null;

  get hasRoom(): boolean {
    return this.#open.size < maxOpen && this.#abandoned.size < maxAbandoned;
  }

  /** The request that waits under this very id. */
  find(id: RequestId): OpenRequest | null {
    const request = this.#open.get(idSlot(id));
    return request?.id === id ? request : null;
  }

  /** Could this id be confused with one that waits for an answer, or whose answer may still arrive? */
  isTaken(id: RequestId): boolean {
    return this.#open.has(idSlot(id)) || this.#abandoned.has(idSlot(id));
  }

  add(request: OpenRequest): void {
    this.#open.set(idSlot(request.id), request);
  }

  /** Removes the request, because its answer arrived. */
  answer(id: RequestId): OpenRequest | null {
    const request = this.find(id);
    if (!request) {
      return null;
    }
    this.#open.delete(idSlot(id));
    if (request.timer) {
      clearTimeout(request.timer);
    }
    if (this.#open.size === 0) {
      this.#onEmpty?.();
    }
    return request;
  }

  /** Removes the request, because nobody waits for it any more. */
  abandon(id: RequestId): OpenRequest | null {
    const request = this.answer(id);
    if (request) {
      this.#abandoned.set(idSlot(id), id);
    }
    return request;
  }

  /** An answer arrived for an abandoned id: the id may be reused. */
  forget(id: RequestId): void {
    if (this.#abandoned.get(idSlot(id)) === id) {
      this.#abandoned.delete(idSlot(id));
    }
  }

  /** Removes and returns all requests. */
  drain(): OpenRequest[] {
    return [...this.#open.values()].flatMap(({ id }) => this.answer(id) ?? []);
  }

  /** Resolves when nothing is open, or on timeout. */
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
