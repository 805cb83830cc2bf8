/** What happens to each message of the server: it is forwarded or refused, an answer after its request was found. */
import { decideServerMessage, type ServerView } from '../gate/decide.ts';
import { cancelledNotice, errorAnswer } from '../json-rpc/answers.ts';
import type { Line } from '../json-rpc/lines.ts';
import { idSlot, type Message, type RequestId, rpcErrorCode } from '../json-rpc/message.ts';
import { longLineBytes, parseLine, parseLineInTurns } from '../json-rpc/parse-line.ts';
import { maxOpen, type SentRequest } from './ledger.ts';
import type { AgentConnection } from './link-dependencies.ts';

/** Resolves when the next line may be handled. Never throws. */
export async function handleServerLine(line: Line, connection: AgentConnection): Promise<void> {
  if (connection.serverIsLost) {
    return;
  }
  if (line.tooLarge) {
    connection.replies.note('server', 'too_large');
    await connection.loseServer();
    return;
  }
  const { bytes, framed } = line;
  const { keepsPayloads } = connection.ledger;
  const parsed =
    bytes.length > longLineBytes ? await parseLineInTurns(bytes, keepsPayloads) : parseLine(bytes);
  if (parsed.ok) {
    await handleMessage(parsed.message, framed, connection);
  } else {
    connection.replies.note('server', parsed.problem);
    await failRequest(parsed.id, 'gave an answer that the platform does not let pass', connection);
  }
}

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
    }
    await connection.toAgent.write(framed);
  } else {
    replies.note('server', decision.reason);
    if (decision.action === 'refuse_answer') {
      await failRequest(decision.id, 'asked for input in a way that is not allowed', connection);
    } else {
      await refuse(message, decision.id, connection);
    }
  }
}

function viewOf({ dependencies, ledger, serverIds, era }: AgentConnection): ServerView {
  return {
    era,
    features: dependencies.clientFeatures,
    agentRequest(id) {
      const request = ledger.find(id);
      return request && { method: request.method, rounds: request.call?.rounds ?? 0 };
    },
    serverIdTaken: (id) => serverIds.has(idSlot(id)),
    roomForRequest: serverIds.size < maxOpen,
  };
}

/** The agent's request gets a failure in place of the server's answer. */
async function failRequest(
  id: RequestId | null,
  why: string,
  { ledger, replies }: AgentConnection,
): Promise<void> {
  const request = id === null ? null : ledger.fail(id, 'protocol_error');
  if (request) {
    await replies.failRequest(request, why, null);
  }
}

/** A refused request of the server is answered; a late answer to an abandoned request only frees its id. */
async function refuse(message: Message, id: RequestId | null, connection: AgentConnection): Promise<void> {
  if ((message.kind === 'result' || message.kind === 'error') && message.id !== null) {
    connection.ledger.forget(message.id);
  }
  if (id !== null) {
    const why = 'The platform does not let this request pass';
    await connection.toServer?.write(errorAnswer(id, rpcErrorCode.methodNotFound, why));
  }
}

/** A call has ended because its answer did not arrive in time: the agent gets a failure, and the server a cancellation. */
export async function failLateCall(request: SentRequest, connection: AgentConnection): Promise<void> {
  const { dependencies, replies } = connection;
  await replies.failRequest(request, `did not answer within ${dependencies.limits.callTimeoutMs} ms`, null);
  await connection.toServer?.write(cancelledNotice(request.id, 'timed out'));
}
