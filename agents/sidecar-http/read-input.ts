/**
 * Messages from `GET /input`: server-sent events over the sidecar's socket, resumed
 * where they were interrupted.
 */
import { request } from 'node:http';
import { createParser } from 'eventsource-parser';
import { type InputMessage, inputMessage } from '../../contract/agent-contract.ts';
import { retry } from '../../lib/timing/retry.ts';

const reconnectMs = 250;

/**
 * Calls `onMessage` with each message once, in their order, from the first one; retries while
 * the sidecar is unreachable.
 */
export function readInput(socketPath: string, onMessage: (message: InputMessage) => void): { close(): void } {
  let lastSeq = 0;
  const closing = new AbortController();
  const { signal } = closing;

  const take = (data: string) => {
    const message = parseMessage(data);
    if (message && message.seq > lastSeq) {
      lastSeq = message.seq;
      onMessage(message);
    }
  };
  const readUntilLost = () =>
    new Promise<never>((_resolve, reject) => {
      const headers = lastSeq > 0 ? { 'last-event-id': String(lastSeq) } : {};
      const call = request({ socketPath, path: '/input', headers, agent: false, signal }, (response) => {
        const parser = createParser({ onEvent: ({ data }) => take(data) });
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => parser.feed(chunk));
        response.on('error', () => undefined);
      });
      call.on('error', () => undefined);
      call.once('close', () => reject(new Error('the connection was lost')));
      call.end();
    });
  // Fails when the stream is closed.
  void retry(readUntilLost, { firstDelayMs: reconnectMs, signal }).catch(() => undefined);
  return { close: () => closing.abort() };
}

function parseMessage(data: string): InputMessage | null {
  try {
    return inputMessage.parse(JSON.parse(data));
  } catch {
    return null;
  }
}
