/** Asks an address, without a credential, whether it is an MCP server and whether people have to sign in (MCP, Streamable HTTP). */
import * as z from 'zod';
import { OutboundError, type OutboundErrorCode } from '../outbound/errors.ts';
import { exchange, mediaType } from '../outbound/exchange.ts';
import { classifyProbe, type Probe, type ProbeAnswer } from './classify-probe.ts';
import { limitsOf, type OAuthContext } from './context.ts';
import { explained, isTrouble } from './documents.ts';
import { OAuthDiscoveryError } from './errors.ts';
import { readRpcResponse } from './rpc-response.ts';

const clientInfo = { name: 'agent-platform', version: '1' };
const modern = '2026-07-28';

/** Opens a session in revisions up to 2025-11-25. The version goes into the body: its header belongs to later requests. */
const initialize = {
  headers: {},
  body: {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo },
  },
};
/** What servers of revision 2026-07-28 answer, who know no `initialize`. Header and body must name the same version. */
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

/**
 * Sends `initialize`, and `server/discover` to a server that refuses it. May be repeated: a session that the server opened for it is
 * ended. Throws OAuthDiscoveryError for what is no MCP server, takes a static key, or cannot be reached.
 */
export async function probe(
  context: OAuthContext,
  server: URL,
): Promise<Exclude<Probe, { kind: 'refused_method' }>> {
  for (const question of [initialize, discover]) {
    const found = classifyProbe(await ask(context, server, question));
    if (found.kind !== 'refused_method') {
      return found;
    }
  }
  throw new OAuthDiscoveryError(
    'not_an_mcp_server',
    `${server.host} refuses both "initialize" and "server/discover"; enter the address of its MCP endpoint, or ask its operator which revision of MCP it speaks.`,
  );
}

async function ask(
  context: OAuthContext,
  server: URL,
  { headers, body }: typeof initialize | typeof discover,
): Promise<ProbeAnswer> {
  const { requestTimeoutMs: timeoutMs } = limitsOf(context);
  const accept = 'application/json, text/event-stream';
  const sent = {
    method: 'POST' as const,
    url: server,
    headers: { ...headers, accept },
    body: { json: body },
    timeoutMs,
  };
  try {
    return await exchange(context, sent, async ({ status, headers: answered, body: stream }) => {
      const contentType = mediaType(answered['content-type']);
      // What such a status means, no body changes.
      const isFinal = status === 401 || status === 403 || isTrouble(status);
      const message = isFinal ? null : await readRpcResponse(context, contentType, stream, server.host);
      await endSession(context, server, answered['mcp-session-id'], message);
      return {
        host: server.host,
        status,
        contentType,
        authenticate: answered['www-authenticate'],
        message,
      };
    });
  } catch (error) {
    throw refusedAnswer(error);
  }
}

const agreed = z.object({ result: z.object({ protocolVersion: z.string().regex(/^\d{4}-\d{2}-\d{2}$/) }) });

/** A courtesy: the probe's session is of no use to anybody, and a server may keep it for hours. */
async function endSession(
  context: OAuthContext,
  server: URL,
  id: string | string[] | undefined,
  message: unknown,
): Promise<void> {
  const version = agreed.safeParse(message).data?.result.protocolVersion;
  if (version === undefined || typeof id !== 'string' || !/^[\x21-\x7e]{1,1000}$/.test(id)) {
    return;
  }
  const headers = { 'mcp-session-id': id, 'mcp-protocol-version': version };
  const sent = { method: 'DELETE' as const, url: server, headers, timeoutMs: 2000 };
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
