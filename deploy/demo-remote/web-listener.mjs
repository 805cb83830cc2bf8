import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse,
} from '@modelcontextprotocol/server';

const largestBodyBytes = 64 * 1024;

/**
 * A listener of `node:http` for a function from a `Request` to its `Response`, of a server at `origin`. What
 * comes by another host's name, or from a page of another origin, is refused before it.
 */
export const webListener = (origin, answer) => (incoming, outgoing) => {
  respond(origin, answer, incoming, outgoing).catch(() => outgoing.destroy());
};

async function respond(origin, answer, incoming, outgoing) {
  const body = await readBody(incoming);
  if (body === null || !incoming.url.startsWith('/')) {
    outgoing.writeHead(body === null ? 413 : 400, { connection: 'close' }).end();
    return;
  }
  const left = new AbortController();
  outgoing.once('close', () => left.abort());
  const { method, headers } = incoming;
  const mayHaveBody = method !== 'GET' && method !== 'HEAD';
  const request = new Request(`${origin}${incoming.url}`, {
    method,
    headers: Object.entries(headers).map(([name, value]) => [name, String(value)]),
    signal: left.signal,
    ...(mayHaveBody ? { body } : {}),
  });
  const refused =
    hostHeaderValidationResponse(request, localhostAllowedHostnames()) ??
    originValidationResponse(request, localhostAllowedOrigins());
  const response = refused ?? (await answer(request));
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (response.body === null) {
    outgoing.end();
  } else {
    await pipeline(Readable.fromWeb(response.body), outgoing);
  }
}

/** Null when it is too large. */
async function readBody(incoming) {
  const chunks = [];
  let sizeBytes = 0;
  for await (const chunk of incoming) {
    sizeBytes += chunk.length;
    if (sizeBytes > largestBodyBytes) {
      return null;
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
