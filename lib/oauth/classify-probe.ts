/** What a server's answer to `initialize` or `server/discover` without a credential says about it. Pure. */
import * as z from 'zod';
import { isTrouble } from './documents.ts';
import { OAuthDiscoveryError } from './errors.ts';
import { readSignInChallenge, type SignInChallenge } from './sign-in-challenge.ts';

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

/** Throws OAuthDiscoveryError for what is no MCP server, takes a static key, or cannot answer now. */
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
