/**
 * What happens to each message of the server: it is forwarded or refused, an answer
 * after its request was found.
 */
import { decideServerMessage, type ServerView } from '../gate/decide.ts';
import { cancelledNotice, errorAnswer } from '../json-rpc/answers.ts';
import { type Line, largeAnswerBytes, largeLineBytes } from '../json-rpc/lines.ts';
import { idSlot, type Message, type RequestId, rpcErrorCode } from '../json-rpc/message.ts';
import { longLineBytes, parseLine, parseLineInTurns } from '../json-rpc/parse-line.ts';
import { countInTurns, sizeOf } from './agent-lines.ts';
import { maxOpen, type SentRequest } from './ledger.ts';
import type { AgentConnection } from './link-dependencies.ts';
import { failAnswer, failGuessed, failLost, settleUnreadable, takeUnreadable } from './unreadable-answers.ts';

/** Resolves when the next line may be handled. Never throws. */
export async function handleServerLine(line: Line, connection: AgentConnection): Promise<void> {
  if (connection.serverIsLost) {
    return;
  }
  if (line.loss !== null) {
    await failLost(line, connection);
    return;
  }
  const { bytes, framed } = line;
  const { keepsPayloads } = connection.ledger;
  if (bytes.length > largeLineBytes && (await holdsTooMuch(bytes))) {
    await takeUnreadable(bytes, { ok: false, problem: 'too_many_values', id: null }, connection);
    return;
  }
  const parsed =
    bytes.length > longLineBytes ? await parseLineInTurns(bytes, keepsPayloads) : parseLine(bytes);
  if (parsed.ok) {
    if (connection.unreadable.open !== null) {
      await settleUnreadable(connection);
    }
    await handleMessage(parsed.message, framed, connection);
  } else {
    await takeUnreadable(bytes, parsed, connection);
  }
}

/** Whether a large line would take more memory than all large answers may. */
const holdsTooMuch = async (bytes: Buffer): Promise<boolean> =>
  sizeOf(bytes, await countInTurns(bytes)) > largeAnswerBytes;

async function handleMessage(message: Message, framed: Buffer, connection: AgentConnection): Promise<void> {
  const { ledger, lists, replies, serverIds, start } = connection;
  const decision = decideServerMessage(message, viewOf(connection));
  if (decision.action === 'answer') {
    const request = ledger.answer(decision.id, message, decision.input);
    start.answered();
    if (request?.call === null && message.kind === 'result') {
      await lists?.answered(request, message.result);
    }
    await connection.toAgent.write(framed);
  } else if (decision.action === 'forward') {
    if (message.kind === 'request') {
      serverIds.set(idSlot(message.id), message.id);
    } else if (message.kind === 'notification' && message.method === 'notifications/progress') {
      ledger.progressed(message.params['progressToken']);
    }
    await connection.toAgent.write(framed);
  } else {
    replies.note('server', decision.reason);
    if (decision.action === 'refuse_answer') {
      await failAnswer(decision.id, decision.reason, connection);
    } else {
      await refuse(message, decision.id, connection);
    }
  }
}

function viewOf({ dependencies, ledger, serverIds, protocolVersion }: AgentConnection): ServerView {
  return {
    protocolVersion,
    features: dependencies.clientFeatures,
    agentRequest(id) {
      const request = ledger.find(id);
      return request && { method: request.method, rounds: request.call?.rounds ?? 0 };
    },
    serverIdTaken: (id) => serverIds.has(idSlot(id)),
    roomForRequest: serverIds.size < maxOpen,
  };
}

/** A refused request of the server is answered; a late answer to an abandoned request only frees its id. */
async function refuse(message: Message, id: RequestId | null, connection: AgentConnection): Promise<void> {
  if (message.kind === 'result' || message.kind === 'error') {
    await refuseAnswer(message.id, connection);
  }
  if (id !== null) {
    const why = 'The platform does not let this request pass';
    await connection.toServer?.write(errorAnswer(id, rpcErrorCode.methodNotFound, why));
  }
}

/**
 * An answer that no request waits for under its very id: perhaps one does, and its server wrote the id in
 * another way, or left it out.
 */
async function refuseAnswer(id: RequestId | null, connection: AgentConnection): Promise<void> {
  const { ledger } = connection;
  if (id === null) {
    await failGuessed([], 'bad_id', connection);
  } else if (!ledger.forget(id) && ledger.findLike(id) !== null) {
    await failGuessed([id], 'other_id', connection);
  }
}

/**
 * A call has ended because its answer did not arrive in time: the agent gets a failure, and
 * the server a cancellation.
 */
export async function failLateCall(request: SentRequest, connection: AgentConnection): Promise<void> {
  const { dependencies, replies, start } = connection;
  start.faulted('not_in_time');
  const seconds = dependencies.limits.callTimeoutMs / 1000;
  const why = `did not answer, nor report progress, within ${seconds} seconds, which is the limit for a call`;
  await replies.failRequest(request, { why, cause: null, reason: 'not_in_time' });
  await connection.toServer?.write(cancelledNotice(request.id, 'timed out'));
}
