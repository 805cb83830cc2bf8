/** Reads the JSON-RPC response to a request over Streamable HTTP, which is a body or an event of a stream. */
import type { IncomingMessage } from 'node:http';
import { createParser } from 'eventsource-parser';
import { parseBoundedJson } from '../outbound/bounded-json.ts';
import { OutboundError } from '../outbound/errors.ts';
import { readResponseBody } from '../outbound/get.ts';
import { createLineEnds } from '../outbound/line-ends.ts';
import { limitsOf, type OAuthContext } from './context.ts';

/** The response in a body; null when it holds none that can be read. Throws OutboundError `too_large`. */
export async function readRpcResponse(
  context: OAuthContext,
  contentType: string,
  stream: IncomingMessage,
  host: string,
): Promise<unknown> {
  const { documentBytes, documentValues } = limitsOf(context);
  const what = `the answer of ${host}`;
  const parse = (bytes: Buffer): unknown => {
    const parsed = parseBoundedJson(bytes, documentValues);
    return 'value' in parsed ? parsed.value : null;
  };
  switch (contentType) {
    case 'application/json':
      return parse(await readResponseBody(stream, documentBytes, what));
    case 'text/event-stream':
      return readFirstResponse(stream, documentBytes, what, parse);
    default:
      return null;
  }
}

/** A stream may stay open after the response, and requests and notifications may come before it. */
async function readFirstResponse(
  stream: IncomingMessage,
  maxBytes: number,
  what: string,
  parse: (bytes: Buffer) => unknown,
): Promise<unknown> {
  let found: unknown = null;
  const parser = createParser({
    onEvent: ({ data }) => {
      const message = parse(Buffer.from(data));
      found ??= isResponse(message) ? message : null;
    },
  });
  const decoder = new TextDecoder();
  const lineEnds = createLineEnds();
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > maxBytes) {
      throw new OutboundError('too_large', `${what} is larger than ${maxBytes} bytes`);
    }
    parser.feed(lineEnds(decoder.decode(chunk, { stream: true })));
    if (found !== null) {
      return found;
    }
  }
  return null;
}

const isResponse = (message: unknown): boolean =>
  typeof message === 'object' && message !== null && ('result' in message || 'error' in message);
