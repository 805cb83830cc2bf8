/** A webhook as a channel has one: a real HTTP server on loopback that answers as a test says. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { SlackMessage } from '../../activities/channel-messages/slack-message.ts';
import { webhooksWith } from '../../activities/channel-messages/webhooks.ts';

/** A status, or whatever the test does with the request. */
export type WebhookReply = number | ((request: IncomingMessage, response: ServerResponse) => void);

export interface Received {
  path: string;
  headers: IncomingMessage['headers'];
  message: SlackMessage;
}

export interface Webhook {
  host: string;
  /** Has a part that only its owner knows. */
  url: string;
  received: Received[];
  /** Answers the next requests with these, one each, and those after them with 200. */
  answer(...replies: WebhookReply[]): void;
  close(): Promise<void>;
}

export const secretPart = 'T0-only-the-owner-knows';

/**
 * By `host` of a URL, for the webhooks that are open: another test file of this process
 * may be given the same port.
 */
const listedHosts = new Map<string, 'https' | 'http'>();
/** How webhooks are reached in tests: only those of the internet, and those that a test lists. */
export const loopbackWebhooks = webhooksWith(listedHosts);

/** Listed as the operator would, unless said otherwise. */
export async function startWebhook({ isListed = true } = {}): Promise<Webhook> {
  const received: Received[] = [];
  let replies: WebhookReply[] = [];
  const server = createServer((request, response) => {
    response.on('error', () => undefined);
    text(request).then(
      (body) => {
        received.push({ path: request.url ?? '', headers: request.headers, message: JSON.parse(body) });
        const reply = replies.shift() ?? 200;
        if (typeof reply === 'function') {
          reply(request, response);
        } else {
          response.writeHead(reply, { 'content-type': 'text/plain' }).end('ok');
        }
      },
      () => undefined,
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  if (isListed) {
    listedHosts.set(host, 'http');
  }
  return {
    host,
    url: `http://${host}/services/${secretPart}`,
    received,
    answer(...next) {
      replies = next;
    },
    close: () =>
      new Promise((resolve) => {
        listedHosts.delete(host);
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** All that a reader sees of a message, in text and in blocks. */
export const shownTexts = ({ text, blocks }: SlackMessage): string[] => [
  text,
  ...blocks.flatMap((block) =>
    block.type === 'context' ? block.elements.map((element) => element.text) : [block.text.text],
  ),
];
