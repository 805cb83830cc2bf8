/**
 * One connection of the agent to one MCP server: reads lines from both sides, decides on each, forwards the original bytes
 * (design 8). It lives as long as the agent's side; the server's side is exclusive to it and closed with it.
 */
import type { Duplex } from 'node:stream';
import type { CallOutcome } from '../../contract/audit-event.ts';
import { holdsMoreValues } from '../../contract/json-values.ts';
import type { FailureCause } from '../../contract/session-process.ts';
import {
  type AgentDecision,
  decideAgentMessage,
  decideServerMessage,
  type ServerDecision,
} from '../gate/decide.ts';
import { type Era, eraAfter } from '../gate/method-policy.ts';
import { cancelledNotice, errorAnswer } from '../json-rpc/answers.ts';
import { idSlot, type Message, type RequestId, rpcErrorCode } from '../json-rpc/message.ts';
import { longLineBytes, type ParsedLine, parseLine, parseLineInTurns } from '../json-rpc/parse-line.ts';
import { type Line, readLines } from '../json-rpc/read-lines.ts';
import { writeLine } from '../json-rpc/write-line.ts';
import type { ServerStart } from '../processes/server-start.ts';
import { type AgentLine, argumentsOf, type CallRecord, readAgentLines, recordCall } from './agent-lines.ts';
import { callRefusal, type GatedCall, lossText } from './call-gate.ts';
import { outcomeOf, resultOf } from './call-outcome.ts';
import { Continuations, digestOf } from './continuations.ts';
import { endDuplex } from './end-duplex.ts';
import { InFlight, maxOpen, type OpenCall, type OpenRequest } from './in-flight.ts';
import type { LinkParts } from './link-parts.ts';
import { createReplies, type Replies } from './replies.ts';

/** A side that takes no bytes for this long is given up. */
const stallMs = 30_000;
/** Answers may still arrive for this long after the agent stopped sending. */
const lastAnswersMs = 10_000;
/** Serves until the agent's connection ends. Never throws; leaves nothing behind. */
export async function serveConnection(agent: Duplex, parts: LinkParts): Promise<void> {
  const connection = new GatedConnection(agent, parts);
  await connection.run();
}

class GatedConnection {
  readonly #agent: Duplex;
  readonly #parts: LinkParts;
  readonly #replies: Replies;
  readonly #inFlight = new InFlight();
  /** Calls that the agent may continue. */
  readonly #continuations: Continuations;
  /** The server's requests that the agent has not answered, by slot. */
  readonly #serverIds = new Map<string, RequestId>();
  readonly #start: ServerStart;
  #cause: FailureCause | null = null;
  #server: Duplex | null = null;
  #era: Era = 'opening';
  /** The agent's messages are being handled; the current one gets its answer before a lost server closes the connection. */
  #handling = false;
  #serverIsLost = false;
  #closed = false;

  constructor(agent: Duplex, parts: LinkParts) {
    this.#agent = agent;
    this.#parts = parts;
    this.#replies = createReplies(parts, (line) => this.#toAgent(line));
    this.#continuations = new Continuations(({ callId }) => parts.audit.finished(callId, 'unknown'));
    this.#start = parts.startServer(() => void this.#serverLost());
  }

  async run(): Promise<void> {
    this.#agent.once('close', () => this.#close());
    try {
      for await (const lines of this.#agentLines()) {
        this.#handling = true;
        for (const line of lines) {
          await (this.#isOver ? this.#leave(line) : this.#fromAgent(line));
        }
        this.#handling = false;
        if (this.#isOver) {
          break;
        }
      }
      await this.#inFlight.whenEmpty(lastAnswersMs);
    } catch {
      // An error of the agent's side counts as its end.
    }
    this.#close();
  }

  get #isOver(): boolean {
    return this.#closed || this.#serverIsLost;
  }

  #agentLines(): AsyncGenerator<AgentLine[]> {
    return readAgentLines(this.#agent, this.#parts, (line) => this.#leave(line));
  }

  /** The connection ended before the turn of this line. */
  #leave({ record }: AgentLine): void {
    if (record) {
      this.#parts.audit.finished(record.callId, this.#serverIsLost ? 'server_unavailable' : 'refused');
    }
  }

  async #fromAgent({ parsed, bytes, record }: AgentLine): Promise<void> {
    if (!parsed.ok) {
      // An answer to an id in use would be mistaken for the answer to that request.
      const { problem, id } = parsed;
      await this.#replies.refuseLine(problem, id !== null && this.#inFlight.isTaken(id) ? null : id);
      return;
    }
    const { message } = parsed;
    this.#era = eraAfter(this.#era, message);
    const decision = decideAgentMessage(message, {
      tools: this.#parts.tools,
      era: this.#era,
      agentIdOpen: (id) => this.#inFlight.find(id) !== null,
      agentIdTaken: (id) => this.#inFlight.isTaken(id),
      serverIdOpen: (id) => this.#serverIds.get(idSlot(id)) === id,
      roomForRequest: this.#inFlight.hasRoom,
      holdsTooMuch: holdsMoreValues(bytes, this.#parts.limits.messageValues),
    });
    if (decision.action === 'refuse') {
      await this.#refuseMessage(decision, record);
    } else if (decision.action === 'drop') {
      this.#replies.note('agent', decision.reason);
    } else if (decision.action === 'call') {
      await this.#call(decision, parsed, { bytes, record });
    } else {
      await this.#forward(message, bytes);
    }
  }

  async #refuseMessage(
    { reason, code, id, tool }: AgentDecision & { action: 'refuse' },
    given: CallRecord | null,
  ): Promise<void> {
    const record = given ?? (tool === null ? null : recordCall(this.#parts, tool));
    if (record && (await record.admission) === 'recorded') {
      this.#parts.audit.finished(record.callId, 'refused');
    }
    await this.#replies.refuseMessage(reason, code, id);
  }

  async #call(
    decision: AgentDecision & { action: 'call' },
    { message, rawArguments }: ParsedLine & { ok: true },
    { bytes, record: given }: Pick<AgentLine, 'bytes' | 'record'>,
  ): Promise<void> {
    const { id, tool } = decision;
    const { server: name, gate, audit } = this.#parts;
    const isModern = this.#era === '2026-07-28';
    const argumentsDigest = isModern ? digestOf(rawArguments) : null;
    const opened = this.#openCall(decision, argumentsDigest, { given, args: argumentsOf(message) });
    if (!opened) {
      const code = rpcErrorCode.invalidParams;
      await this.#refuseMessage({ action: 'refuse', reason: 'unknown_continuation', code, id, tool }, null);
      return;
    }
    const { call, record } = opened;
    const server = await this.#connectedServer();
    const gated: GatedCall = { ...call, server: name, cause: this.#cause };
    const refusal = await (record ? gate.open(gated, server !== null, record.admission) : gate.reopen(gated));
    if (refusal) {
      await this.#replies.refuseCall(id, refusal, isModern);
      return;
    }
    if (this.#closed) {
      audit.finished(call.callId, 'refused');
      return;
    }
    if (this.#serverIsLost) {
      audit.finished(call.callId, 'server_unavailable');
      await this.#replies.refuseCall(id, callRefusal('server_unavailable', gated), isModern);
      return;
    }
    this.#inFlight.add({ id, method: 'tools/call', call, isModern, timer: this.#callTimer(id) });
    await this.#toServer(bytes);
  }

  /**
   * The call that a message continues, or begins: then with its record. Answers that belong to no round of input are a separate
   * call, which is checked like any other. Null: its server may ask for nothing, so there is nothing to answer.
   */
  #openCall(
    { tool, scope, continues }: AgentDecision & { action: 'call' },
    argumentsDigest: string | null,
    { given, args }: { given: CallRecord | null; args: unknown },
  ): { call: OpenCall; record: CallRecord | null } | null {
    const continued = continues && this.#continuations.take(tool, argumentsDigest ?? '', continues);
    if (continued) {
      return { call: continued, record: null };
    }
    if (continues && this.#parts.clientFeatures.size === 0) {
      return null;
    }
    const record = given ?? recordCall(this.#parts, tool, args);
    return { call: { callId: record.callId, tool, scope, argumentsDigest, rounds: 0 }, record };
  }

  async #forward(message: Message, bytes: Buffer): Promise<void> {
    if (message.kind === 'request') {
      const server = await this.#connectedServer();
      if (!server) {
        await this.#replies.noServer(message.id, this.#cause);
        return;
      }
      const { id, method } = message;
      this.#inFlight.add({ id, method, call: null, isModern: this.#era === '2026-07-28', timer: null });
      this.#start.asked(method);
    } else if (message.kind === 'notification') {
      this.#noteCancellation(message);
    } else if (message.id !== null) {
      this.#serverIds.delete(idSlot(message.id));
    }
    await this.#toServer(bytes);
  }

  /** The agent no longer waits for this call; a late answer is dropped. */
  #noteCancellation({ method, params }: Message & { kind: 'notification' }): void {
    const id = params['requestId'];
    if (method === 'notifications/cancelled' && (typeof id === 'string' || typeof id === 'number')) {
      this.#finish(this.#inFlight.abandon(id), 'cancelled');
    }
  }

  /** The server's side, connected on the first use. Null when no server connected in time; the next call retries. */
  async #connectedServer(): Promise<Duplex | null> {
    if (this.#server || this.#closed) {
      return this.#server;
    }
    const server = await this.#parts.side.connect(this.#parts.limits.connectTimeoutMs);
    if (server && this.#closed) {
      endDuplex(server);
      return null;
    }
    this.#server = server;
    this.#cause = server ? null : await this.#start.lost();
    if (server) {
      this.#start.connected();
      void this.#readServer(server);
    }
    return server;
  }

  async #readServer(server: Duplex): Promise<void> {
    try {
      for await (const lines of readLines(server, this.#parts.limits.lineBytes)) {
        for (const line of lines) {
          await this.#readServerLine(line);
        }
      }
    } catch {
      // An error of the server's side counts as its end.
    }
    await this.#serverLost();
  }

  async #readServerLine(line: Line): Promise<void> {
    if (this.#serverIsLost) {
      return;
    }
    if (line.tooLarge) {
      this.#replies.note('server', 'too_large');
      await this.#serverLost();
    } else {
      const { bytes } = line;
      const parsed = bytes.length > longLineBytes ? await parseLineInTurns(bytes) : parseLine(bytes);
      await this.#fromServer(parsed, bytes);
    }
  }

  async #fromServer(parsed: ParsedLine, bytes: Buffer): Promise<void> {
    if (!parsed.ok) {
      this.#replies.note('server', parsed.problem);
      const request = parsed.id === null ? null : this.#inFlight.answer(parsed.id);
      await this.#failRequest(
        request,
        'gave an answer that the platform does not let pass',
        'protocol_error',
      );
      return;
    }
    const { message } = parsed;
    const decision = decideServerMessage(message, {
      era: this.#era,
      features: this.#parts.clientFeatures,
      agentRequest: (id) => this.#waitingRequest(id),
      serverIdTaken: (id) => this.#serverIds.has(idSlot(id)),
      roomForRequest: this.#serverIds.size < maxOpen,
    });
    if (decision.action === 'answer') {
      this.#takeAnswer(decision, message);
      await this.#toAgent(bytes);
    } else if (decision.action === 'forward') {
      if (message.kind === 'request') {
        this.#serverIds.set(idSlot(message.id), message.id);
      }
      await this.#toAgent(bytes);
    } else if (decision.action === 'refuse_answer') {
      this.#replies.note('server', decision.reason);
      const request = this.#inFlight.answer(decision.id);
      await this.#failRequest(request, 'asked for input in a way that it may not', 'protocol_error');
    } else {
      this.#replies.note('server', decision.reason);
      if ((message.kind === 'result' || message.kind === 'error') && message.id !== null) {
        this.#inFlight.forget(message.id);
      }
      if (decision.id !== null) {
        await this.#toServer(
          errorAnswer(
            decision.id,
            rpcErrorCode.methodNotFound,
            'The platform does not let this request pass',
          ),
        );
      }
    }
  }

  #waitingRequest(id: RequestId): { method: string; rounds: number } | null {
    const request = this.#inFlight.find(id);
    return request && { method: request.method, rounds: request.call?.rounds ?? 0 };
  }

  /** A call is over with its answer, or waits for its next round. */
  #takeAnswer({ id, input }: ServerDecision & { action: 'answer' }, message: Message): void {
    const request = this.#inFlight.answer(id);
    this.#start.answered();
    if (input && request?.call && this.#continuations.hasRoom) {
      this.#continuations.wait(request.call, input);
    } else {
      this.#finish(request, outcomeOf(message), resultOf(message));
    }
  }

  /** The server ended: answers its pending requests, and lets the agent's client reconnect. */
  async #serverLost(): Promise<void> {
    if (this.#closed || this.#serverIsLost) {
      return;
    }
    this.#serverIsLost = true;
    this.#server?.destroy();
    this.#cause = await this.#start.lost();
    for (const request of this.#inFlight.drain()) {
      await this.#failRequest(request, lossText(this.#cause), 'unknown');
    }
    if (!this.#handling) {
      this.#close();
    }
  }

  async #failRequest(request: OpenRequest | null, why: string, outcome: CallOutcome): Promise<void> {
    if (request) {
      this.#finish(request, outcome);
      await this.#replies.failRequest(request, why, this.#cause);
    }
  }

  #callTimer(id: RequestId): NodeJS.Timeout | null {
    const { callTimeoutMs } = this.#parts.limits;
    const giveUp = async () => {
      const request = this.#inFlight.abandon(id);
      await this.#failRequest(request, `did not answer within ${callTimeoutMs} ms`, 'unknown');
      await this.#toServer(cancelledNotice(id, 'timed out'));
    };
    return callTimeoutMs > 0 ? setTimeout(() => void giveUp(), callTimeoutMs) : null;
  }

  #finish(request: OpenRequest | null, outcome: CallOutcome, result?: unknown): void {
    if (request?.call) {
      this.#parts.audit.finished(request.call.callId, outcome, result);
    }
  }

  async #toAgent(line: Uint8Array): Promise<void> {
    if (!(await writeLine(this.#agent, line, stallMs))) {
      this.#close();
    }
  }

  async #toServer(line: Uint8Array): Promise<void> {
    if (this.#server && !(await writeLine(this.#server, line, stallMs))) {
      await this.#serverLost();
    }
  }

  #close(): void {
    if (this.#closed) {
      return;
    }
    this.#closed = true;
    this.#start.left();
    for (const request of this.#inFlight.drain()) {
      this.#finish(request, 'unknown');
    }
    this.#continuations.endAll();
    for (const side of this.#server ? [this.#server, this.#agent] : [this.#agent]) {
      endDuplex(side);
    }
  }
}
