/** Messages from `GET /input`: server-sent events over the sidecar's socket, resumed where they were interrupted. */
import { request } from 'node:http';
import { createParser } from 'eventsource-parser';
import { type InputMessage, inputMessage } from '../../contract/agent-contract.ts';
import type { WantedMessage } from '../../contract/scripted-instructions.ts';
import { retry } from '../../lib/timing/retry.ts';
import { abandonAfter } from '../../lib/timing/time-limit.ts';

export interface InputStream {
  /** The next unread message of that kind that contains the text; the ones before it are skipped. Null on timeout. */
  next(wanted: WantedMessage, timeoutMs: number): Promise<InputMessage | null>;
  close(): void;
}

const reconnectMs = 250;

/** Reads from now on, retrying while the sidecar is unreachable. */
export function openInputStream(socketPath: string): InputStream {
  const unread: InputMessage[] = [];
  let lastSeq = 0;
  const closing = new AbortController();
  const { signal } = closing;
  let onMessage: () => void = () => undefined;

  const take = (data: string) => {
    const message = parseMessage(data);
    if (message && message.seq > lastSeq) {
      lastSeq = message.seq;
      unread.push(message);
      onMessage();
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

  return {
    async next(wanted, timeoutMs) {
      const deadline = Date.now() + timeoutMs;
      for (;;) {
        for (let message = unread.shift(); message; message = unread.shift()) {
          if (isWanted(wanted, message)) {
            return message;
          }
        }
        const leftMs = deadline - Date.now();
        if (leftMs <= 0) {
          return null;
        }
        const arrival = new Promise<void>((resolve) => {
          onMessage = resolve;
        });
        await abandonAfter(Math.min(leftMs, longestTimerMs), arrival, () => undefined);
      }
    },
    close() {
      closing.abort();
    },
  };
}

function isWanted({ contains = '', kind }: WantedMessage, message: InputMessage): boolean {
  return (kind === undefined || message.kind === kind) && message.text.includes(contains);
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
