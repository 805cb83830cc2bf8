/**
 * The agent's requests on one connection, and the tool calls that they make. `begin` opens the record of a
 * call, and `Call.end` is the only way to close it; from `send` on the ledger does that, wherever the call
 * then is: in flight, or between two rounds.
 */
import { createHash, randomUUID } from 'node:crypto';
import type { AnswerFault } from '../../contract/answer-fault.ts';
import type { CallOutcome } from '../../contract/audit-event.ts';
import { abandonAfter } from '../../lib/timing/time-limit.ts';
import type { Admission, AuditedCall, AuditTrail } from '../audit/audit-trail.ts';
import type { Continuation, InputRequest } from '../gate/decide.ts';
import { idSlot, type Message, type RequestId } from '../json-rpc/message.ts';

/** A tool call from the reading of its line to its last round: one check, one record, one outcome. */
class Call implements AuditedCall {
  /** Its id in the audit trail. */
  readonly callId: string;
  readonly server: string;
  readonly tool: string;
  /** Whether the trail has it, so that it may go on. */
  readonly admission: Admission | Promise<Admission>;
  /** How often its server answered with a request for input. */
  rounds = 0;
  /**
   * Whether the arguments of a gated call say all that its server acts on, beside what it was
   * asked for in rounds of input.
   */
  isToldByArguments = false;
  readonly #audit: AuditTrail;
  #isOpen = true;

  constructor({ callId, server, tool }: AuditedCall, admission: Call['admission'], audit: AuditTrail) {
    this.callId = callId;
    this.server = server;
    this.tool = tool;
    this.admission = admission;
    this.#audit = audit;
  }

  /** The gate decides on it now: its time counts from here. */
  decided(): void {
    this.#audit.decided(this.callId);
  }

  /** The server said that it is at work on it. */
  progressed(): void {
    this.#audit.progressed(this.callId);
  }

  /** Closes its record. Only the first outcome counts. `reason`: why its answer did not pass. */
  end(outcome: CallOutcome, result?: unknown, reason?: AnswerFault): void {
    if (this.#isOpen) {
      this.#isOpen = false;
      this.#audit.finished(this.callId, outcome, result, reason);
    }
  }
}

export type { Call };

/** A request of the agent that waits for its answer. */
export interface SentRequest {
  id: RequestId;
  method: string;
  /** Is it of the 2026 revision? */
  isModern: boolean;
  call: Call | null;
  /** The page that a `tools/list` asks for, other than the first; null when its cursor is not followed. */
  cursor?: string | null | undefined;
  /** Under which its server reports progress. */
  progressToken?: RequestId | undefined;
  /** How the call's arguments were written; null where no further round can follow. */
  argumentsDigest: string | null;
}

interface InFlight {
  request: SentRequest;
  timer: NodeJS.Timeout | undefined;
}

interface PausedCall {
  call: Call;
  argumentsDigest: string | null;
  input: InputRequest;
  timer: NodeJS.Timeout;
}

export interface LedgerDependencies {
  server: string;
  audit: AuditTrail;
  limits: { callTimeoutMs: number };
}

/** A request that is answered when its subscription ends. */
const subscription = 'subscriptions/listen';
/** Max open requests in one direction at a time. */
export const maxOpen = 1024;
/** Servers need not answer what was cancelled, so these stay as long as the connection does. */
const maxAbandoned = 16 * maxOpen;
/** Max calls of one connection that wait for their next round. */
const maxPaused = 256;
/** As long as a session may be idle. */
const maxPauseMs = 3_600_000;

export class Ledger {
  readonly #dependencies: LedgerDependencies;
  readonly #onTimeout: (request: SentRequest) => void;
  /** By slot: no two ids that a reader could take for the same are in flight together. */
  readonly #sent = new Map<string, InFlight>();
  /** Ids of abandoned requests whose answer may still arrive: reusing one would mix up two calls. */
  readonly #abandoned = new Map<string, RequestId>();
  /** Slots of calls that are being checked, and become a request or a refusal. */
  readonly #reserved = new Set<string>();
  /** Calls that the agent may continue. */
  readonly #paused = new Set<PausedCall>();
  #onEmpty: (() => void) | null = null;

  /** Calls in flight, by the token of their progress. */
  readonly #progressing = new Map<RequestId, InFlight>();

  /** Calls `onTimeout` for each call that its server did not answer in time, after its end. */
  constructor(dependencies: LedgerDependencies, onTimeout: (request: SentRequest) => void) {
    this.#dependencies = dependencies;
    this.#onTimeout = onTimeout;
  }

  /** Whether the records of calls hold arguments and results. */
  get keepsPayloads(): boolean {
    return this.#dependencies.audit.keepsPayloads;
  }

  /** Opens the record of a call, before it is decided on. */
  begin(tool: string, args?: unknown): Call {
    const { server, audit } = this.#dependencies;
    const call = { callId: randomUUID(), server, tool };
    return new Call(call, audit.started(call, args), audit);
  }

  /** As `begin`, for calls that were read together. */
  beginTogether(begun: readonly { tool: string; args: unknown }[]): Call[] {
    const { server, audit } = this.#dependencies;
    const calls = begun.map(({ tool, args }) => ({ call: { callId: randomUUID(), server, tool }, args }));
    const admissions = audit.startedTogether(calls);
    return calls.map(({ call }, index) => new Call(call, admissions[index] ?? 'audit_unavailable', audit));
  }

  /** A call beyond the rate limit: it is only counted. */
  beginTooFast(tool: string): Call {
    const { server, audit } = this.#dependencies;
    const admission = audit.refusedBeyondLimit({ server, tool });
    return new Call({ callId: randomUUID(), server, tool }, admission, audit);
  }

  get hasRoom(): boolean {
    return this.#sent.size + this.#reserved.size < maxOpen && this.#abandoned.size < maxAbandoned;
  }

  /** The request that waits under this very id. */
  find(id: RequestId): SentRequest | null {
    const request = this.#sent.get(idSlot(id))?.request;
    return request?.id === id ? request : null;
  }

  /** The request under an id that a reader could take for this one. */
  findLike(id: RequestId): SentRequest | null {
    return this.#sent.get(idSlot(id))?.request ?? null;
  }

  /**
   * The only request that waits for an answer now; null when there are several, or none. A
   * subscription waits for none.
   */
  get onlyOne(): SentRequest | null {
    let found: SentRequest | null = null;
    for (const { request } of this.#sent.values()) {
      if (request.method === subscription) {
        continue;
      }
      if (found !== null) {
        return null;
      }
      found = request;
    }
    return found;
  }

  /**
   * Could this id be confused with one that waits for its check or its answer, or whose
   * answer may still arrive?
   */
  isTaken(id: RequestId): boolean {
    const slot = idSlot(id);
    return this.#sent.has(slot) || this.#abandoned.has(slot) || this.#reserved.has(slot);
  }

  /** Takes the id until `release`, or until the request is sent: whether it may go on is being checked. */
  reserve(id: RequestId): void {
    this.#reserved.add(idSlot(id));
  }

  /** The request was refused: its id may be reused. */
  release(id: RequestId): void {
    this.#reserved.delete(idSlot(id));
  }

  /** The request is on its way to the server. A call has a time limit. */
  send(request: SentRequest): void {
    this.release(request.id);
    const { callTimeoutMs } = this.#dependencies.limits;
    const isLimited = request.call !== null && callTimeoutMs > 0;
    const timer = isLimited ? setTimeout(() => this.#timeOut(request), callTimeoutMs) : undefined;
    const sent = { request, timer };
    this.#sent.set(idSlot(request.id), sent);
    if (request.call !== null && request.progressToken !== undefined) {
      this.#progressing.set(request.progressToken, sent);
    }
  }

  /** The server reported progress under this token: the time of that call begins again. */
  progressed(token: unknown): void {
    const sent =
      typeof token === 'string' || typeof token === 'number' ? this.#progressing.get(token) : undefined;
    sent?.timer?.refresh();
    sent?.request.call?.progressed();
  }

  /**
   * The server's answer arrived: a call is over with it, or waits for its next round when the answer asks for
   * `input`. Returns what was answered.
   */
  answer(id: RequestId, message: Message, input: InputRequest | null): SentRequest | null {
    const request = this.#remove(id);
    if (input && request?.call && this.#paused.size < maxPaused) {
      this.#pause(request.call, request.argumentsDigest, input);
    } else {
      request?.call?.end(outcomeOf(message), resultOf(message));
    }
    return request;
  }

  /** Ends the request without the server's answer. Returns it; null when none waits under this id. */
  fail(id: RequestId, outcome: CallOutcome, reason?: AnswerFault): SentRequest | null {
    const request = this.#remove(id);
    request?.call?.end(outcome, undefined, reason);
    return request;
  }

  /** As `fail`, for a request whose answer may still arrive: its id stays taken until then. */
  abandon(id: RequestId, outcome: CallOutcome, reason?: AnswerFault): SentRequest | null {
    const request = this.fail(id, outcome, reason);
    if (request) {
      this.#abandoned.set(idSlot(id), id);
    }
    return request;
  }

  /** An answer arrived for an abandoned id: the id may be reused. False when it is none. */
  forget(id: RequestId): boolean {
    const slot = idSlot(id);
    return this.#abandoned.get(slot) === id && this.#abandoned.delete(slot);
  }

  /** Ends the requests in flight one by one, each before it is yielded. */
  *failAll(outcome: CallOutcome): Generator<SentRequest> {
    for (const { request } of this.#sent.values()) {
      this.fail(request.id, outcome);
      yield request;
    }
  }

  /**
   * Takes out the call that a round belongs to: same tool, identically written arguments, the server's state
   * unchanged, and answers only to what was asked. Null when there is none.
   */
  resume(tool: string, argumentsDigest: string, { state, answered }: Continuation): Call | null {
    for (const paused of this.#paused) {
      const { call, input } = paused;
      const isItsRound =
        call.tool === tool &&
        paused.argumentsDigest === argumentsDigest &&
        input.state === state &&
        answered.every((key) => input.asked.has(key));
      if (isItsRound) {
        clearTimeout(paused.timer);
        this.#paused.delete(paused);
        return call;
      }
    }
    return null;
  }

  /** Resolves when nothing is in flight, or on timeout. */
  whenEmpty(limitMs: number): Promise<void> {
    if (this.#sent.size === 0) {
      return Promise.resolve();
    }
    const empty = new Promise<void>((resolve) => {
      this.#onEmpty = resolve;
    });
    return abandonAfter(limitMs, empty, () => undefined);
  }

  /** Ends everything that was sent. What the server made of it is unknown. */
  close(): void {
    for (const { request } of this.#sent.values()) {
      this.fail(request.id, 'unknown');
    }
    for (const paused of this.#paused) {
      this.#giveUp(paused);
    }
  }

  #remove(id: RequestId): SentRequest | null {
    const slot = idSlot(id);
    const sent = this.#sent.get(slot);
    if (sent?.request.id !== id) {
      return null;
    }
    this.#sent.delete(slot);
    clearTimeout(sent.timer);
    const { progressToken } = sent.request;
    if (progressToken !== undefined && this.#progressing.get(progressToken) === sent) {
      this.#progressing.delete(progressToken);
    }
    if (this.#sent.size === 0) {
      this.#onEmpty?.();
    }
    return sent.request;
  }

  #timeOut(request: SentRequest): void {
    this.abandon(request.id, 'unknown', 'not_in_time');
    this.#onTimeout(request);
  }

  #pause(call: Call, argumentsDigest: string | null, input: InputRequest): void {
    call.rounds += 1;
    const timer = setTimeout(() => this.#giveUp(paused), maxPauseMs);
    const paused: PausedCall = { call, argumentsDigest, input, timer };
    this.#paused.add(paused);
  }

  /** The call is not continued. */
  #giveUp(paused: PausedCall): void {
    clearTimeout(paused.timer);
    this.#paused.delete(paused);
    paused.call.end('unknown');
  }
}

/**
 * Arguments are compared as they were written: `JSON.parse` makes 9007199254740993
 * and 9007199254740992 equal.
 */
export function digestOf(rawArguments: string | Uint8Array | null): string {
  return createHash('sha256')
    .update(rawArguments ?? '')
    .digest('base64');
}

function outcomeOf(message: Message): CallOutcome {
  if (message.kind === 'error') {
    return waitsForSignIn(message.error) ? 'waiting' : 'protocol_error';
  }
  return message.kind === 'result' && message.result['isError'] === true ? 'tool_error' : 'ok';
}

/**
 * The bridge to a remote server answers so in its place. A server that says it itself
 * has given no result either.
 */
function waitsForSignIn({ data }: Record<string, unknown>): boolean {
  return typeof data === 'object' && data !== null && Reflect.get(data, 'code') === 'authorization_required';
}

function resultOf(message: Message): unknown {
  return message.kind === 'error' ? message.error : message.kind === 'result' ? message.result : undefined;
}
