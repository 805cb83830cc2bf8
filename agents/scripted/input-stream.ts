/** Messages from `GET /input`: server-sent events over the sidecar's socket, resumed where they were interrupted. */
import { type ClientRequest, request } from 'node:http';
import { createParser } from 'eventsource-parser';
import { type InputMessage, inputMessage } from '../../contract/agent-contract.ts';

export interface InputStream {
  /** The next unread message that contains the text; the ones before it are skipped. Null on timeout. */
  next(contains: string, timeoutMs: number): Promise<InputMessage | null>;
  close(): void;
}

const reconnectMs = 250;

/** Reads from now on, retrying while the sidecar is unreachable. */
export function openInputStream(socketPath: string): InputStream {
  const unread: InputMessage[] = [];
  let lastSeq = 0;
  let closed = false;
  let current: ClientRequest | null = null;
  let timer: NodeJS.Timeout | null = null;
  let onMessage: () => void = () => undefined;

  const take = (data: string) => {
    const message = parseMessage(data);
    if (message && message.seq > lastSeq) {
      lastSeq = message.seq;
      unread.push(message);
      onMessage();
    }
  };
  const reconnect = () => {
    if (!closed) {
      timer = setTimeout(connect, reconnectMs);
    }
  };
  const connect = () => {
    const headers = lastSeq > 0 ? { 'last-event-id': String(lastSeq) } : {};
    current = request({ socketPath, path: '/input', headers, agent: false }, (response) => {
      const parser = createParser({ onEvent: ({ data }) => take(data) });
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => parser.feed(chunk));
      response.on('error', () => undefined);
    });
    current.on('error', () => undefined);
    current.once('close', reconnect);
    current.end();
  };
  connect();

  return {
    async next(contains, timeoutMs) {
      const deadline = Date.now() + timeoutMs;
      for (;;) {
        for (let message = unread.shift(); message; message = unread.shift()) {
          if (message.text.includes(contains)) {
            return message;
          }
        }
        const leftMs = deadline - Date.now();
        if (leftMs <= 0) {
          return null;
        }
        await new Promise<void>((resolve) => {
          const wait = setTimeout(resolve, Math.min(leftMs, longestTimerMs));
          onMessage = () => {
            clearTimeout(wait);
            resolve();
          };
        });
      }
    },
    close() {
      closed = true;
      current?.destroy();
      if (timer) {
        clearTimeout(timer);
      }
    },
  };
}

/** A longer timer would fire at once. */
const longestTimerMs = 24 * 3600 * 1000;

function parseMessage(data: string): InputMessage | null {
  try {
    return inputMessage.parse(JSON.parse(data));
  } catch {
    return null;
  }
}
