/**
 * The address of the embedded Temporal UI for browsers. The UI itself has no authentication and accepts any
 * `Host`, so that another site could point its own name here (DNS rebinding). This proxy accepts its own
 * address only, and forwards to where the UI listens, an address that cannot be guessed.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { StartError } from './start-error.ts';

export interface UiPlace {
  host: string;
  port: number;
}

export interface TemporalUi {
  url: string;
  close(): void;
}

/** Port 0: any free one. Throws StartError when the port is taken. */
export async function openTemporalUi(port: number, target: UiPlace): Promise<TemporalUi> {
  let own = new Set<string>();
  const server = createServer((asked, answer) => {
    if (!own.has(asked.headers.host ?? '') || isFromElsewhere(asked)) {
      answer
        .writeHead(403, { 'content-type': 'text/plain' })
        .end('This is not the address of the Temporal UI.\n');
      return;
    }
    handOn(asked, answer, target);
  });
  server.listen({ port, host: '127.0.0.1', exclusive: true });
  await once(server, 'listening').catch((cause: unknown) => {
    throw new StartError(`Port ${port} of the Temporal UI is taken. Set TEMPORAL_UI_PORT to another one.`, {
      cause,
    });
  });
  const address = server.address();
  const listens = typeof address === 'object' && address !== null ? address.port : port;
  own = new Set([`127.0.0.1:${listens}`, `localhost:${listens}`]);
  return {
    url: `http://127.0.0.1:${listens}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/**
 * Whether a page of another site makes a state-changing request. Programs other than browsers name no site.
 */
function isFromElsewhere({ method, headers }: IncomingMessage): boolean {
  const site = headers['sec-fetch-site'] ?? 'none';
  return method !== 'GET' && method !== 'HEAD' && site !== 'none' && site !== 'same-origin';
}

function handOn(asked: IncomingMessage, answer: ServerResponse, { host, port }: UiPlace): void {
  const { method, url: path, headers } = asked;
  const sent = request({ host, port, method, path, headers, agent: false });
  sent.on('response', (given) => {
    answer.writeHead(given.statusCode ?? 502, given.headers);
    given.pipe(answer);
    given.on('error', () => answer.destroy());
  });
  sent.on('error', () => {
    if (answer.headersSent) {
      answer.destroy();
    } else {
      answer.writeHead(502, { 'content-type': 'text/plain' }).end('The Temporal server does not answer.\n');
    }
  });
  answer.on('close', () => sent.destroy());
  asked.pipe(sent);
}
