/** What happens to one message. Pure: no input or output, no clock (design 8). */
import { isObject, type Message, type RequestId, rpcErrorCode } from '../json-rpc/message.ts';
import { foldName, type GateMap } from './gate-map.ts';
import { agentMay, type Era, serverMay } from './method-policy.ts';

/** What the decision depends on beside the message. */
export interface GateView {
  tools: GateMap;
  /** The era with this message counted in. */
  era: Era;
  /** Is this id of the agent's waiting for an answer, or may it not be used again? */
  agentIdTaken(id: RequestId): boolean;
  /** Is this id of the server's waiting for an answer? */
  serverIdOpen(id: RequestId): boolean;
  /** May one more request be in flight? */
  roomForRequest: boolean;
}

export type GateRefusal =
  | 'method_not_allowed'
  | 'id_in_use'
  | 'too_many_requests'
  | 'unknown_answer'
  | 'call_without_id'
  | 'bad_tool_name'
  | 'bad_arguments'
  | 'lookalike_member'
  | 'lookalike_tool_name'
  | 'input_required';

export type AgentDecision =
  | { action: 'forward' }
  /** Forward once audit and, for a scope, the check allow it. */
  | { action: 'call'; id: RequestId; tool: string; scope: string | null }
  /** `id`: where to send the refusal. `tool`: the refused call, for the audit trail. */
  | { action: 'refuse'; reason: GateRefusal; code: number; id: RequestId | null; tool: string | null };

export type ServerDecision =
  | { action: 'forward' }
  /** The answer to a request of the agent's. */
  | { action: 'answer'; id: RequestId }
  /** The request of the agent's gets a refusal in place of this answer. */
  | { action: 'refuse_answer'; reason: GateRefusal; id: RequestId }
  | { action: 'refuse'; reason: GateRefusal; id: RequestId | null };

const maxToolNameLength = 256;
/** Control characters end or split a name for some readers, half surrogates are read differently, and neither can be stored. */
const unusableInName = /[\p{Cc}\p{Cs}]/gu;
/** Members of a call's parameters that decide something: a variant in another case would be read by lenient servers. */
const callMembers = ['name', 'arguments', '_meta', 'task', 'inputResponses', 'requestState'];
const exactCallMembers = new Set(callMembers);
const foldedCallMembers = new Set(callMembers.map(foldName));

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
  if (!agentMay(view.era, message)) {
    return refuse('method_not_allowed', id, rpcErrorCode.methodNotFound);
  }
  if (id !== null && view.agentIdTaken(id)) {
    // Answering it would answer the request that is in flight under this id.
    return refuse('id_in_use');
  }
  if (id !== null && !view.roomForRequest) {
    return refuse('too_many_requests', id);
  }
  return id !== null && message.method === 'tools/call'
    ? decideCall(id, message.params, view.tools)
    : { action: 'forward' };
}

function decideCall(id: RequestId, params: Readonly<Record<string, unknown>>, tools: GateMap): AgentDecision {
  const { name: tool } = params;
  const invalid = (reason: GateRefusal) => refuse(reason, id, rpcErrorCode.invalidParams);
  if (
    typeof tool !== 'string' ||
    tool.length === 0 ||
    tool.length > maxToolNameLength ||
    tool.search(unusableInName) >= 0
  ) {
    return invalid('bad_tool_name');
  }
  const hasLookalike = Object.keys(params).some(
    (key) => !exactCallMembers.has(key) && foldedCallMembers.has(foldName(key)),
  );
  if (hasLookalike) {
    return invalid('lookalike_member');
  }
  if (params['arguments'] !== undefined && !isObject(params['arguments'])) {
    return invalid('bad_arguments');
  }
  const gate = tools.lookUp(tool);
  if (gate.kind === 'lookalike') {
    return invalid('lookalike_tool_name');
  }
  return { action: 'call', id, tool, scope: gate.kind === 'gated' ? gate.scope : null };
}

/** The tool that a refused call named, as far as it fits into a record. */
function calledTool(message: Message): string | null {
  const isCall = message.kind === 'request' || message.kind === 'notification';
  if (!isCall || message.method !== 'tools/call') {
    return null;
  }
  const { name } = message.params;
  return typeof name === 'string' ? name.slice(0, maxToolNameLength).replace(unusableInName, '\uFFFD') : null;
}

/** `roomForRequest`: may the server ask the agent one thing more? */
export function decideServerMessage(
  message: Message,
  agentIdOpen: (id: RequestId) => boolean,
  roomForRequest = true,
): ServerDecision {
  if (message.kind === 'result' || message.kind === 'error') {
    if (message.id === null || !agentIdOpen(message.id)) {
      return { action: 'refuse', reason: 'unknown_answer', id: null };
    }
    const asksForInput = message.kind === 'result' && message.result['resultType'] === 'input_required';
    return asksForInput
      ? { action: 'refuse_answer', reason: 'input_required', id: message.id }
      : { action: 'answer', id: message.id };
  }
  const id = message.kind === 'request' ? message.id : null;
  if (!serverMay(message)) {
    return { action: 'refuse', reason: 'method_not_allowed', id };
  }
  return id === null || roomForRequest
    ? { action: 'forward' }
    : { action: 'refuse', reason: 'too_many_requests', id };
}

function refuse(
  reason: GateRefusal,
  id: RequestId | null = null,
  code: number = rpcErrorCode.invalidRequest,
): AgentDecision {
  return { action: 'refuse', reason, code, id, tool: null };
}
