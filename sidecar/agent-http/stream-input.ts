import type { IncomingMessage, ServerResponse } from 'node:http';
import type { InputMessage } from '../../contract/agent-contract.ts';
import { HttpRefusal } from '../http/answer.ts';
import type { AgentHttpDependencies } from './dependencies.ts';

const heartbeatMs = 15_000;

/**
 * `GET /input`: server-sent events, all messages after `Last-Event-ID` (a message's number)
 * and then each as it comes.
 */
export async function streamInput(
  request: IncomingMessage,
  response: ServerResponse,
  _url: URL,
  { inbox }: AgentHttpDependencies,
): Promise<void> {
  const lastEventId = request.headers['last-event-id'] ?? '0';
  if (typeof lastEventId !== 'string' || !/^\d{1,15}$/.test(lastEventId)) {
    throw new HttpRefusal('malformed_request', 'Last-Event-ID must be the number of a message');
  }
  let sent = Number(lastEventId);
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  response.write(': connected\n\n');

  // Reading from the inbox, not from the subscription's messages, keeps the order and drops nothing.
  const sendPending = () => {
    for (const message of inbox.after(sent)) {
      if (response.writableNeedDrain) {
        return;
      }
      response.write(serialize(message));
      sent = message.seq;
    }
  };
  const stop = inbox.subscribe(sendPending);
  const heartbeat = setInterval(() => response.write(': still here\n\n'), heartbeatMs);
  response.on('drain', sendPending);
  response.on('error', () => undefined);
  response.once('close', () => {
    stop();
    clearInterval(heartbeat);
  });
  sendPending();
}

function serialize(message: InputMessage): string {
  return `id: ${message.seq}\nevent: message\ndata: ${JSON.stringify(message)}\n\n`;
}
