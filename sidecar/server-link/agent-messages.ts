/**
 * What happens to each message of the agent, in its turn: it is refused, dropped or forwarded, a
 * tool call after its check.
 */
import { holdsMoreValues } from '../../contract/json-values.ts';
import { type AgentDecision, decideAgentMessage, type GateView } from '../gate/decide.ts';
import { protocolVersionAfter } from '../gate/method-policy.ts';
import { idSlot, isObject, type Message, type RequestId, rpcErrorCode } from '../json-rpc/message.ts';
import { maxIdLength, type ParsedLine } from '../json-rpc/parse-line.ts';
import { maxCursorLength } from '../tool-lists/list-pages.ts';
import { type AgentLine, argumentsOf } from './agent-lines.ts';
import { callRefusal } from './call-gate.ts';
import { describeCall, isToldByArguments } from './describe-call.ts';
import { type Call, digestOf } from './ledger.ts';
import type { AgentConnection } from './link-dependencies.ts';

/** Resolves when the next message may be handled: this one was written, refused or dropped. Never throws. */
export async function handleAgentLine(line: AgentLine, connection: AgentConnection): Promise<void> {
  const { parsed, framed, call } = line;
  const { ledger, replies, gatedCalls } = connection;
  if (parsed.ok) {
    connection.protocolVersion = protocolVersionAfter(connection.protocolVersion, parsed.message);
  }
  const decide = () => (parsed.ok ? decideAgentMessage(parsed.message, viewOf(connection, framed)) : null);
  let decision = decide();
  if (!gatedCalls.isEmpty && !isGated(decision)) {
    // Calls that are being checked stay together: whatever else comes has its turn after
    // them, and is decided on then.
    await gatedCalls.settled();
    if (connection.isClosed || connection.serverIsLost) {
      connection.leave(line);
      return;
    }
    decision = decide();
  }
  if (!parsed.ok) {
    // An answer to an id in use would be mistaken for the answer to that request.
    const { problem, id } = parsed;
    await replies.refuseLine(problem, id !== null && ledger.isTaken(id) ? null : id);
  } else if (decision !== null) {
    await carryOut(decision, parsed, { framed, call }, connection);
  }
}

async function carryOut(
  decision: AgentDecision,
  parsed: ParsedLine & { ok: true },
  { framed, call }: Pick<AgentLine, 'framed' | 'call'>,
  connection: AgentConnection,
): Promise<void> {
  if (decision.action === 'refuse') {
    await refuse(decision, call, connection);
  } else if (decision.action === 'drop') {
    connection.replies.note('agent', decision.reason);
  } else if (decision.action === 'call') {
    await forwardCall(decision, parsed, { framed, call }, connection);
  } else {
    await forward(parsed.message, framed, connection);
  }
}

const isGated = (decision: AgentDecision | null): boolean =>
  decision?.action === 'call' && isChecked(decision);

/** Whether the platform is asked before the call is forwarded. */
const isChecked = ({ scope, definition }: AgentDecision & { action: 'call' }): boolean =>
  scope !== null || definition === 'shown';

function viewOf(connection: AgentConnection, framed: Buffer): GateView {
  const { dependencies, ledger, lists, serverIds, protocolVersion } = connection;
  return {
    tools: dependencies.tools,
    refusesChanges: dependencies.toolLists?.refusesChanges ?? false,
    wasShown: (tool) => lists?.hasShown(tool) ?? false,
    protocolVersion,
    agentIdOpen: (id) => ledger.find(id) !== null,
    agentIdTaken: (id) => ledger.isTaken(id),
    serverIdOpen: (id) => serverIds.get(idSlot(id)) === id,
    roomForRequest: ledger.hasRoom,
    holdsTooMuch: holdsMoreValues(framed, dependencies.limits.messageValues),
  };
}

/** Refuses a message. A refused call is recorded like any other. */
async function refuse(
  { reason, code, id, tool }: AgentDecision & { action: 'refuse' },
  begun: Call | null,
  { ledger, replies }: AgentConnection,
): Promise<void> {
  const call = begun ?? (tool === null ? null : ledger.begin(tool));
  if (call && (await call.admission) === 'recorded') {
    call.end('refused');
  }
  await replies.refuseMessage(reason, code, id);
}

async function forwardCall(
  decision: AgentDecision & { action: 'call' },
  { message, rawArguments }: ParsedLine & { ok: true },
  { framed, call: begun }: Pick<AgentLine, 'framed' | 'call'>,
  connection: AgentConnection,
): Promise<void> {
  const { id, tool, scope, definition, continues } = decision;
  const { dependencies, ledger, replies } = connection;
  const isModern = connection.protocolVersion === '2026-07-28';
  const argumentsDigest = isModern ? digestOf(rawArguments) : null;
  const continued = continues && ledger.resume(tool, argumentsDigest ?? '', continues);
  const call = continued ?? begun ?? beginAnswer(tool, message, connection);
  if (!call) {
    const code = rpcErrorCode.invalidParams;
    await refuse({ action: 'refuse', reason: 'unknown_continuation', code, id, tool }, null, connection);
    return;
  }
  const request = { id, method: 'tools/call', isModern, call, argumentsDigest, ...progressOf(message) };
  const admitted = { scope, isChecked: isChecked(decision) };
  const refusal = await dependencies.gate.admit(call, admitted, await connection.connect());
  if (refusal) {
    await replies.refuseCall(id, refusal, isModern);
  } else if (definition === 'unknown') {
    call.end('refused');
    await replies.refuseCall(id, callRefusal('tool_changed', call, scope), isModern);
  } else if (connection.isClosed) {
    call.end('refused');
  } else if (connection.serverIsLost) {
    call.end('server_unavailable');
    await replies.refuseCall(id, callRefusal('server_unavailable', call, scope), isModern);
  } else if (!admitted.isChecked) {
    ledger.send(request);
    await connection.toServer?.write(framed);
  } else {
    // A further round has the arguments of the first.
    call.isToldByArguments = continued ? call.isToldByArguments : isToldByArguments(message);
    const described = scope === null ? null : describeCall(call, rawArguments, dependencies.entryVersion);
    await connection.gatedCalls.add({ request, scope, described, framed });
  }
}

/**
 * Answers that belong to no round of input are a separate call, which is checked like any other. Null: its
 * server may ask for nothing, so there is nothing to answer.
 */
function beginAnswer(tool: string, message: Message, { dependencies, ledger }: AgentConnection): Call | null {
  return dependencies.clientFeatures.size === 0 ? null : ledger.begin(tool, argumentsOf(message));
}

async function forward(message: Message, framed: Buffer, connection: AgentConnection): Promise<void> {
  const { ledger, replies, serverIds, start } = connection;
  if (message.kind === 'request') {
    const { isConnected, cause } = await connection.connect();
    if (!isConnected) {
      await replies.noServer(message.id, cause);
      return;
    }
    const { id, method } = message;
    const isModern = connection.protocolVersion === '2026-07-28';
    ledger.send({ id, method, isModern, call: null, argumentsDigest: null, ...cursorOf(message) });
    start.asked(method);
  } else if (message.kind === 'notification') {
    noteCancellation(message, connection);
  } else if (message.id !== null) {
    serverIds.delete(idSlot(message.id));
  }
  await connection.toServer?.write(framed);
}

/** Servers report progress under the token that the call names. */
function progressOf(message: Message): { progressToken?: RequestId } {
  const meta = message.kind === 'request' ? message.params['_meta'] : undefined;
  const token = isObject(meta) ? meta['progressToken'] : undefined;
  const isKept = typeof token === 'number' || (typeof token === 'string' && token.length <= maxIdLength);
  return isKept ? { progressToken: token } : {};
}

/**
 * A cursor that is no text, or a long one, belongs to no list that this platform follows: which page a server
 * takes null for is not known.
 */
function cursorOf({ method, params: { cursor } }: Message & { kind: 'request' }): { cursor?: string | null } {
  return method === 'tools/list' && cursor !== undefined
    ? { cursor: typeof cursor === 'string' && cursor.length <= maxCursorLength ? cursor : null }
    : {};
}

/** The agent no longer waits for this request; a late answer is dropped. */
function noteCancellation(
  { method, params }: Message & { kind: 'notification' },
  { ledger }: AgentConnection,
): void {
  const id = params['requestId'];
  if (method === 'notifications/cancelled' && (typeof id === 'string' || typeof id === 'number')) {
    ledger.abandon(id, 'cancelled');
  }
}
