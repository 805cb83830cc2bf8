/** Decides on one message. Pure: no I/O, no clock (docs/sidecar.md#the-gate). */
import type { AnswerFault } from '../../contract/answer-fault.ts';
import type { ClientFeature } from '../../contract/catalog.ts';
import { maxToolNameCharacters } from '../../contract/names.ts';
import { isObject, type Message, type Params, type RequestId, rpcErrorCode } from '../json-rpc/message.ts';
import type { GateMap } from './gate-map.ts';
import {
  agentMay,
  featuresAskedFor,
  mayAskForInput,
  type ProtocolVersion,
  serverMay,
} from './method-policy.ts';
import { hasLookalikeMember } from './protocol-members.ts';

/** What the decision on a message of the agent depends on, besides the message. */
export interface GateView {
  tools: GateMap;
  /** Are calls of tools refused that are not as they were accepted? */
  refusesChanges: boolean;
  /** Was the agent shown this tool, and on this connection a whole list? */
  wasShown(tool: string): boolean;
  /** The protocol version with this message counted in. */
  protocolVersion: ProtocolVersion;
  /** Is exactly this id of the agent waiting for an answer? */
  agentIdOpen(id: RequestId): boolean;
  /** Could a reader confuse it with an id that waits for an answer, or that may not be reused yet? */
  agentIdTaken(id: RequestId): boolean;
  /** Is this id of the server waiting for an answer? */
  serverIdOpen(id: RequestId): boolean;
  /** Is there room for one more request in flight? */
  roomForRequest: boolean;
  /** Does it hold more values than its server accepts in one message? */
  holdsTooMuch: boolean;
}

/** What the decision on a message of the server depends on, besides the message. */
export interface ServerView {
  protocolVersion: ProtocolVersion;
  /** What the server may ask of the agent. */
  features: ReadonlySet<ClientFeature>;
  /**
   * The agent's request that waits under this id. `rounds`: how often its call was answered
   * with a request for input.
   */
  agentRequest(id: RequestId): { method: string; rounds: number } | null;
  /** Could a reader confuse it with an id of the server that waits for an answer? */
  serverIdTaken(id: RequestId): boolean;
  /** Is there room for one more request of the server to the agent? */
  roomForRequest: boolean;
}

export type GateRefusal =
  | 'method_not_allowed'
  | 'client_feature_not_allowed'
  | 'id_in_use'
  | 'too_many_requests'
  | 'too_many_values'
  | 'unknown_answer'
  | 'unknown_cancellation'
  | 'call_without_id'
  | 'bad_tool_name'
  | 'bad_arguments'
  | 'lookalike_member'
  | 'lookalike_tool_name'
  | 'unlisted_tool'
  | 'unknown_continuation'
  | 'bad_input_request'
  | 'too_many_rounds';

/**
 * What a call carries over from the previous round: the server's unchanged state, and
 * the keys of the answers.
 */
export interface Continuation {
  state: string | null;
  answered: readonly string[];
}

/** What a server asked for with its answer to a call. */
export interface InputRequest {
  state: string | null;
  asked: ReadonlySet<string>;
}

export type AgentDecision =
  | { action: 'forward' }
  /** Neither forwarded nor answered: no answer is expected. */
  | { action: 'drop'; reason: GateRefusal }
  /**
   * Forward once audit and, for a scope or a definition that was shown, the check allow it; one that is
   * unknown is refused. `continues`: a further round of a call (2026 revision).
   */
  | {
      action: 'call';
      id: RequestId;
      tool: string;
      scope: string | null;
      definition: 'any' | 'shown' | 'unknown';
      continues: Continuation | null;
    }
  /** `id`: where to send the refusal. `tool`: the refused call, for the audit trail. */
  | { action: 'refuse'; reason: GateRefusal; code: number; id: RequestId | null; tool: string | null };

export type ServerDecision =
  | { action: 'forward' }
  /** The answer to a request of the agent. `input`: the call continues in another round. */
  | { action: 'answer'; id: RequestId; input: InputRequest | null }
  /** The agent's request gets a refusal in place of this answer. */
  | { action: 'refuse_answer'; reason: GateRefusal & AnswerFault; id: RequestId }
  | { action: 'refuse'; reason: GateRefusal; id: RequestId | null };

/** Clients of the official SDKs give up after ten rounds by themselves. */
const maxRounds = 16;
/**
 * Control characters end or split a name for some readers, half surrogates are read differently,
 * and neither can be stored.
 */
const unusableInName = /[\p{Cc}\p{Cs}]/gu;

export function decideAgentMessage(message: Message, view: GateView): AgentDecision {
  const decision = decide(message, view);
  return decision.action === 'refuse' ? { ...decision, tool: calledTool(message) } : decision;
}

function decide(message: Message, view: GateView): AgentDecision {
  if (message.kind === 'result' || message.kind === 'error') {
    const isOpen = message.id !== null && view.serverIdOpen(message.id);
    return isOpen ? { action: 'forward' } : refuse('unknown_answer');
  }
  const id = message.kind === 'request' ? message.id : null;
  if (message.kind === 'notification' && message.method === 'tools/call') {
    return refuse('call_without_id');
  }
  if (!agentMay(view.protocolVersion, message)) {
    return refuse('method_not_allowed', id, rpcErrorCode.methodNotFound);
  }
  if (id !== null && view.agentIdTaken(id)) {
    // Answering it would answer the request that is in flight under this id.
    return refuse('id_in_use');
  }
  if (id !== null && !view.roomForRequest) {
    return refuse('too_many_requests', id);
  }
  if (view.holdsTooMuch) {
    return refuse('too_many_values', id, rpcErrorCode.invalidParams);
  }
  if (hasLookalikeMember(message.params)) {
    return refuse('lookalike_member', id, rpcErrorCode.invalidParams);
  }
  if (id !== null && message.method === 'tools/call') {
    return decideCall(id, message.params, view);
  }
  return message.method === 'notifications/cancelled'
    ? decideCancellation(message.params, view)
    : { action: 'forward' };
}

/** Only what is in flight can be cancelled: a server must not be made to drop a future call. */
function decideCancellation({ requestId }: Params, view: GateView): AgentDecision {
  const isId = typeof requestId === 'string' || typeof requestId === 'number';
  return isId && view.agentIdOpen(requestId)
    ? { action: 'forward' }
    : { action: 'drop', reason: 'unknown_cancellation' };
}

function decideCall(id: RequestId, params: Params, view: GateView): AgentDecision {
  const { name: tool } = params;
  const invalid = (reason: GateRefusal) => refuse(reason, id, rpcErrorCode.invalidParams);
  if (
    typeof tool !== 'string' ||
    tool.length === 0 ||
    tool.length > maxToolNameCharacters ||
    tool.search(unusableInName) >= 0
  ) {
    return invalid('bad_tool_name');
  }
  if (params['arguments'] !== undefined && !isObject(params['arguments'])) {
    return invalid('bad_arguments');
  }
  const gate = view.tools.lookUp(tool);
  if (gate.kind === 'lookalike') {
    return invalid('lookalike_tool_name');
  }
  if (gate.kind === 'unlisted') {
    return invalid('unlisted_tool');
  }
  const scope = gate.kind === 'gated' ? gate.scope : null;
  const definition = definitionStanding(tool, view);
  if (!hasContinuation(params)) {
    return { action: 'call', id, tool, scope, definition, continues: null };
  }
  const continues = mayAskForInput(view.protocolVersion, 'tools/call') ? continuationIn(params) : null;
  return continues
    ? { action: 'call', id, tool, scope, definition, continues }
    : invalid('unknown_continuation');
}

function definitionStanding(tool: string, { refusesChanges, wasShown }: GateView) {
  if (!refusesChanges) {
    return 'any';
  }
  return wasShown(tool) ? 'shown' : 'unknown';
}

function hasContinuation(params: Params): boolean {
  return params['inputResponses'] !== undefined || params['requestState'] !== undefined;
}

function continuationIn({ requestState: state = null, inputResponses = {} }: Params): Continuation | null {
  return isObject(inputResponses) && (state === null || typeof state === 'string')
    ? { state, answered: Object.keys(inputResponses) }
    : null;
}

/**
 * The tool that a message calls for the first time, as far as the name fits into a record; it may
 * be refused all the same.
 */
export function newlyCalledTool(message: Message): string | null {
  return isCall(message) && !hasContinuation(message.params) ? calledTool(message) : null;
}

export function isCall(message: Message): message is Message & { kind: 'request' | 'notification' } {
  return (message.kind === 'request' || message.kind === 'notification') && message.method === 'tools/call';
}

/** The tool that a call names, as far as it fits into a record. */
function calledTool(message: Message): string | null {
  if (!isCall(message)) {
    return null;
  }
  const { name } = message.params;
  return typeof name === 'string'
    ? name.slice(0, maxToolNameCharacters).replace(unusableInName, '\uFFFD')
    : null;
}

export function decideServerMessage(message: Message, view: ServerView): ServerDecision {
  if (message.kind === 'result' || message.kind === 'error') {
    const request = message.id === null ? null : view.agentRequest(message.id);
    if (message.id === null || request === null) {
      return { action: 'refuse', reason: 'unknown_answer', id: null };
    }
    return message.kind === 'result' && message.result['resultType'] === 'input_required'
      ? decideInput(message.id, message.result, request, view)
      : { action: 'answer', id: message.id, input: null };
  }
  const id = message.kind === 'request' ? message.id : null;
  const verdict = serverMay(view.protocolVersion, message, view.features);
  if (verdict !== 'passes') {
    return { action: 'refuse', reason: verdict, id };
  }
  if (id !== null && view.serverIdTaken(id)) {
    // Answering it would answer the request that waits under this id.
    return { action: 'refuse', reason: 'id_in_use', id: null };
  }
  return id === null || view.roomForRequest
    ? { action: 'forward' }
    : { action: 'refuse', reason: 'too_many_requests', id };
}

/** A round of input is part of its call, and the rounds are limited. */
function decideInput(
  id: RequestId,
  { requestState: state = null, inputRequests = {} }: Params,
  { method, rounds }: { method: string; rounds: number },
  { protocolVersion, features }: ServerView,
): ServerDecision {
  const refuseAnswer = (reason: GateRefusal & AnswerFault): ServerDecision => ({
    action: 'refuse_answer',
    reason,
    id,
  });
  const asked = isObject(inputRequests) ? featuresAskedFor(inputRequests) : null;
  const isWellFormed =
    mayAskForInput(protocolVersion, method) && (state === null || typeof state === 'string');
  if (!isWellFormed || asked === null || (state === null && asked.size === 0)) {
    return refuseAnswer('bad_input_request');
  }
  if ([...asked.values()].some((feature) => !features.has(feature))) {
    return refuseAnswer('client_feature_not_allowed');
  }
  return rounds >= maxRounds
    ? refuseAnswer('too_many_rounds')
    : { action: 'answer', id, input: { state, asked: new Set(asked.keys()) } };
}

function refuse(
  reason: GateRefusal,
  id: RequestId | null = null,
  code: number = rpcErrorCode.invalidRequest,
): AgentDecision {
  return { action: 'refuse', reason, code, id, tool: null };
}
