/**
 * Asks an address, without a credential, whether it is an MCP server and whether people have to sign in
 * (MCP, Streamable HTTP), and reads what it answers.
 */

import type { IncomingMessage } from 'node:http';
import { createParser } from 'eventsource-parser';
import * as z from 'zod';
import { productSlug } from '../../contract/product-name.ts';
import { parseBoundedJson } from '../outbound/bounded-json.ts';
import { OutboundError, type OutboundErrorCode } from '../outbound/errors.ts';
import { createLineEnds } from '../outbound/line-ends.ts';
import { exchange, mediaType, readResponseBody } from '../outbound/send.ts';
import { readSignInChallenge, type SignInChallenge } from './challenge.ts';
import { OAuthDiscoveryError } from './errors.ts';
import { explained, isTrouble, limitsOf, type OAuthContext } from './requests.ts';

const clientInfo = { name: productSlug, version: '1' };
const modern = '2026-07-28';

/**
 * Opens a session in revisions up to 2025-11-25. The version goes into the body: its header
 * belongs to later requests.
 */
const initialize = {
  headers: {},
  body: {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo },
  },
};
/**
 * What servers of revision 2026-07-28 answer, who know no `initialize`. Header and body
 * must name the same version.
 */
const discover = {
  headers: { 'mcp-protocol-version': modern, 'mcp-method': 'server/discover' },
  body: {
    jsonrpc: '2.0',
    id: 1,
    method: 'server/discover',
    params: {
      _meta: {
        'io.modelcontextprotocol/protocolVersion': modern,
        'io.modelcontextprotocol/clientInfo': clientInfo,
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  },
};

type FoundProbe = Exclude<Probe, { kind: 'refused_method' }>;

/** Servers that open a session freely may still ask for a token before they say anything. */
const listTools = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

/**
 * Sends `initialize`, and `server/discover` to a server that refuses it; then it asks for the tools, without
 * reading them. May be repeated: a session that the server opened for it is ended. Throws OAuthDiscoveryError
 * for what is no MCP server, takes a static key, or cannot be reached.
 */
export async function probe(context: OAuthContext, server: URL): Promise<FoundProbe> {
  for (const question of [initialize, discover]) {
    const { answer, session } = await ask(context, server, question);
    const found = classifyProbe(answer);
    if (found.kind === 'no_sign_in') {
      return question === initialize
        ? await probeSession(context, server, session)
        : await probeTools(context, server, modernToolsQuestion);
    }
    if (found.kind !== 'refused_method') {
      return found;
    }
  }
  throw new OAuthDiscoveryError(
    'not_an_mcp_server',
    `${server.host} refuses both "initialize" and "server/discover"; enter the address of its MCP endpoint, or ask its operator which revision of MCP it speaks.`,
  );
}

const modernToolsQuestion = {
  headers: { 'mcp-protocol-version': modern, 'mcp-method': listTools.method },
  body: { ...listTools, params: discover.body.params },
};

/** The headers of a session's later requests. */
type SessionHeaders = Record<string, string>;

async function probeSession(
  context: OAuthContext,
  server: URL,
  session: SessionHeaders,
): Promise<FoundProbe> {
  try {
    const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' };
    const notification = { headers: session, body: initialized, timeoutMs: courtesyMs };
    await send(context, server, notification, async () => undefined).catch(() => undefined);
    return await probeTools(context, server, { headers: session, body: listTools });
  } finally {
    await endSession(context, server, session);
  }
}

/** Whatever else it answers, or does not: it answered before, so people use it without signing in. */
async function probeTools(context: OAuthContext, server: URL, question: Question): Promise<FoundProbe> {
  const refused = await send(context, server, question, async (answered) => {
    const { status, headers } = answered;
    return status === 401 || status === 403 ? { status, authenticate: headers['www-authenticate'] } : null;
  }).catch((error: unknown) => {
    context.signal.throwIfAborted();
    if (error instanceof OutboundError) {
      return null;
    }
    throw error;
  });
  if (refused === null) {
    return { kind: 'no_sign_in' };
  }
  const found = classifyProbe({ ...refused, host: server.host, contentType: '', message: null });
  return found.kind === 'sign_in' ? found : { kind: 'no_sign_in' };
}

interface Question {
  headers: Record<string, string>;
  body: object;
  timeoutMs?: number;
}

/** For what the outcome does not depend on. */
const courtesyMs = 2000;

function send<Result>(
  context: OAuthContext,
  server: URL,
  { headers, body, timeoutMs = limitsOf(context).requestTimeoutMs }: Question,
  read: Parameters<typeof exchange<Result>>[2],
): Promise<Result> {
  const accept = 'application/json, text/event-stream';
  const sent = {
    method: 'POST' as const,
    url: server,
    headers: { ...headers, accept },
    body: { json: body },
    timeoutMs,
  };
  return exchange(context, sent, read);
}

async function ask(
  context: OAuthContext,
  server: URL,
  question: Question,
): Promise<{ answer: ProbeAnswer; session: SessionHeaders }> {
  const { host } = server;
  try {
    return await send(context, server, question, async ({ status, headers, body }) => {
      const contentType = mediaType(headers['content-type']);
      // What such a status means, no body changes.
      const isFinal = status === 401 || status === 403 || isTrouble(status);
      const message = isFinal ? null : await readRpcResponse(context, contentType, body, host);
      const session = sessionHeaders(headers['mcp-session-id'], message);
      return {
        answer: { host, status, contentType, authenticate: headers['www-authenticate'], message },
        session,
      };
    });
  } catch (error) {
    throw refusedAnswer(error);
  }
}

const agreed = z.object({ result: z.object({ protocolVersion: z.string().regex(/^\d{4}-\d{2}-\d{2}$/) }) });

function sessionHeaders(id: string | string[] | undefined, message: unknown): SessionHeaders {
  const version = agreed.safeParse(message).data?.result.protocolVersion;
  // A session without its id is one that the server does not know. Some put all of its state into it.
  const isId = typeof id === 'string' && /^[\x21-\x7e]{1,8192}$/.test(id);
  return {
    ...(version === undefined ? {} : { 'mcp-protocol-version': version }),
    ...(isId ? { 'mcp-session-id': id } : {}),
  };
}

/** A courtesy: the probe's session is of no use to anybody, and a server may keep it for hours. */
async function endSession(context: OAuthContext, server: URL, session: SessionHeaders): Promise<void> {
  if (session['mcp-session-id'] === undefined || session['mcp-protocol-version'] === undefined) {
    return;
  }
  const sent = { method: 'DELETE' as const, url: server, headers: session, timeoutMs: courtesyMs };
  await exchange(context, sent, async () => undefined).catch(() => undefined);
}

/** What shows that something other than an MCP server is there, and what to do then. */
const wayOn = new Map<OutboundErrorCode, string>([
  ['redirect_refused', 'enter the address that it redirects to.'],
  ['client_certificate_required', 'such servers cannot be used.'],
  ['invalid_response', 'is this the address of an MCP endpoint?'],
  ['timed_out', 'is this the address of an MCP endpoint?'],
  ['too_large', 'is this the address of an MCP endpoint?'],
]);

function refusedAnswer(error: unknown): unknown {
  const way = error instanceof OutboundError ? wayOn.get(error.code) : undefined;
  return error instanceof OutboundError && way !== undefined
    ? new OAuthDiscoveryError('not_an_mcp_server', `${error.message}; ${way}`, error.code === 'timed_out')
    : explained(error);
}

export interface ProbeAnswer {
  host: string;
  status: number;
  /** In lower case, without parameters. */
  contentType: string;
  /** The header `WWW-Authenticate`. */
  authenticate: string | undefined;
  /** The JSON-RPC response in the body; null when it holds none. */
  message: unknown;
}

export type Probe =
  | { kind: 'no_sign_in' }
  | { kind: 'sign_in'; challenge: SignInChallenge }
  /** It speaks JSON-RPC, but not this revision of MCP. */
  | { kind: 'refused_method' };

/** Of a revision with a handshake, and of one without. */
const initialized = z.object({ protocolVersion: z.string(), capabilities: z.object({}) });
const discovered = z.object({ supportedVersions: z.array(z.string()).min(1), capabilities: z.object({}) });
const response = z.object({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.literal(1), z.null()]).optional(),
  result: z.union([initialized, discovered]).optional(),
  error: z.object({ code: z.int(), message: z.string() }).optional(),
});

/**
 * What an answer to `initialize` or `server/discover` without a credential says about its server. Pure.
 * Throws OAuthDiscoveryError for what is no MCP server, takes a static key, or cannot answer now.
 */
export function classifyProbe(answer: ProbeAnswer): Probe {
  const { status, host } = answer;
  if (status === 401 || status === 403) {
    const challenge = readSignInChallenge(answer.authenticate);
    // A 401 need not say how to sign in; the metadata tells then.
    if (challenge.asksFor === 'bearer' || (status === 401 && challenge.asksFor === 'unknown')) {
      return { kind: 'sign_in', challenge };
    }
    throw staticKey(host, `answered ${status} without a way to sign in with OAuth`);
  }
  if (isTrouble(status)) {
    throw new OAuthDiscoveryError(
      'unreachable',
      `${host} answered ${status} when it was asked whether it is an MCP server.`,
      true,
    );
  }
  return classifyMessage(answer);
}

/** The refusal of a server that signs nobody in. */
export const staticKey = (host: string, what: string): OAuthDiscoveryError =>
  new OAuthDiscoveryError(
    'static_key',
    `${host} ${what}; it probably takes a static key, which is set as a header of the entry.`,
  );

function classifyMessage({ status, host, contentType, message }: ProbeAnswer): Probe {
  const { result, error } = response.safeParse(message).data ?? {};
  if (status >= 200 && status < 300 && result !== undefined && error === undefined) {
    return { kind: 'no_sign_in' };
  }
  if (error !== undefined && result === undefined) {
    return { kind: 'refused_method' };
  }
  throw new OAuthDiscoveryError(
    'not_an_mcp_server',
    `${host} ${reasonOf(status, contentType)}; enter the address of its MCP endpoint.`,
  );
}

function reasonOf(status: number, contentType: string): string {
  if (contentType === 'text/html') {
    return `answers with a web page (${status}), not as an MCP server`;
  }
  switch (status) {
    case 404:
    case 410:
      return `has nothing at this address (${status})`;
    case 405:
      return 'accepts no POST at this address (405), which servers of the transport Streamable HTTP do; those of the transport HTTP with SSE of 2024-11-05 do not, and cannot be used';
    case 202:
    case 204:
      return `gives no answer to a request (${status}), not as an MCP server`;
    default:
      return status >= 200 && status < 300
        ? 'answers with something other than a response of MCP'
        : `answered ${status}, not as an MCP server`;
  }
}

/**
 * The JSON-RPC response in a body, or in an event of its stream; null when it holds none that can be read.
 * Throws OutboundError `too_large`.
 */
async function readRpcResponse(
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
