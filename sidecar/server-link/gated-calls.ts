/**
 * The calls of one connection that need a check. They are asked in their turn: the first at once, and those
 * that arrive while it is being checked together after it, so that none is asked before an earlier one was
 * decided. Each is forwarded in its order. An allowance serves only immediate forwarding: a call that had to
 * wait after it, for its turn or for a server that does not read, is checked again.
 */
import { callRefusal, type Verdict } from './call-gate.ts';
import type { DescribedCall } from './describe-call.ts';
import type { SentRequest } from './ledger.ts';
import type { AgentConnection } from './link-dependencies.ts';

export interface GatedCall {
  request: SentRequest & { call: NonNullable<SentRequest['call']> };
  /** Null for an ungated tool whose definition is checked. */
  scope: string | null;
  /** Of a call that has a scope; its text is no longer than the line. */
  described: DescribedCall | null;
  /** The line that is forwarded, with its line feed. */
  framed: Uint8Array;
}

/** Max calls that wait to be asked together. */
const maxWaiting = 64;
/** Max bytes of calls that are neither forwarded nor refused; a longer line is held by itself. */
const maxHeldBytes = 1024 * 1024;

export class GatedCalls {
  readonly #connection: AgentConnection;
  #waiting: GatedCall[] = [];
  #heldBytes = 0;
  #running: Promise<void> | null = null;
  #onRoom: (() => void) | null = null;

  constructor(connection: AgentConnection) {
    this.#connection = connection;
  }

  /** Takes an admitted call. Resolves when the next message may be handled. */
  async add(gated: GatedCall): Promise<void> {
    this.#connection.ledger.reserve(gated.request.id);
    this.#waiting.push(gated);
    this.#heldBytes += gated.framed.length;
    this.#running ??= this.#run();
    while (this.#waiting.length >= maxWaiting || this.#heldBytes >= maxHeldBytes) {
      await new Promise<void>((resolve) => {
        this.#onRoom = resolve;
      });
    }
  }

  /** None is being checked. */
  get isEmpty(): boolean {
    return this.#running === null;
  }

  /** Resolves when each that was added is forwarded or refused. */
  async settled(): Promise<void> {
    while (this.#running !== null) {
      await this.#running;
    }
  }

  async #run(): Promise<void> {
    try {
      while (this.#waiting.length > 0) {
        const calls = this.#waiting;
        this.#waiting = [];
        this.#onRoom?.();
        const verdicts = calls.map((gated) => this.#check(gated, { isUnforwarded: false }));
        for (const [index, gated] of calls.entries()) {
          await this.#settle(gated, await verdicts[index]);
          this.#heldBytes -= gated.framed.length;
          this.#onRoom?.();
        }
      }
    } finally {
      this.#running = null;
      this.#onRoom?.();
    }
  }

  /** Null when it can no longer be forwarded, so that no grant is used up. */
  async #check(
    { request, scope, described }: GatedCall,
    { isUnforwarded }: { isUnforwarded: boolean },
  ): Promise<Verdict | null> {
    const { gate, toolLists } = this.#connection.dependencies;
    const shown = toolLists?.refusesChanges ? await toolLists.shown(request.call.tool) : undefined;
    const { isClosed, serverIsLost } = this.#connection;
    if (shown === null) {
      request.call.end('refused');
      return { refusal: callRefusal('gate_unavailable', request.call, scope), isFresh: true };
    }
    return isClosed || serverIsLost
      ? null
      : gate.check(request.call, { scope, described, shown, isUnforwarded });
  }

  async #settle(gated: GatedCall, first: Verdict | null | undefined): Promise<void> {
    const connection = this.#connection;
    let verdict = first;
    while (verdict?.refusal === null && !connection.isClosed && !connection.serverIsLost) {
      if (verdict.isFresh && connection.toServer?.isFlushed) {
        connection.ledger.send(gated.request);
        await connection.toServer.writeNow(gated.framed);
        return;
      }
      await connection.toServer?.whenFlushed();
      verdict = await this.#check(gated, { isUnforwarded: true });
    }
    await this.#refuse(gated, verdict?.refusal ?? null);
  }

  /** Without a refusal of the gate, the connection or the server was lost. */
  async #refuse({ request, scope }: GatedCall, refusal: Verdict['refusal']): Promise<void> {
    const { ledger, replies, isClosed } = this.#connection;
    const { id, call, isModern } = request;
    ledger.release(id);
    if (refusal !== null) {
      await replies.refuseCall(id, refusal, isModern);
    } else if (isClosed) {
      call.end('refused');
    } else {
      call.end('server_unavailable');
      await replies.refuseCall(id, callRefusal('server_unavailable', call, scope), isModern);
    }
  }
}
