/** From the URL of a remote MCP server to all that a sign-in there needs. */
import { withinLimit } from '../timing/time-limit.ts';
import { type SignInChallenge, selectScopes } from './challenge.ts';
import { OAuthDiscoveryError, quote } from './errors.ts';
import { type AuthorizationServer, findAuthorizationServer, findResourceMetadata } from './metadata.ts';
import { probe, staticKey } from './probe.ts';
import { limitsOf, type OAuthContext, parseServerUrl } from './requests.ts';

/** Plain data without anything secret: it may be stored and passed through a workflow. */
export type RemoteServer = { kind: 'no_sign_in' } | SignInServer;

export interface SignInServer {
  kind: 'sign_in';
  /** As the server spells it, for the parameter `resource` of authorization and token requests. */
  resource: string;
  authorizationServer: AuthorizationServer;
  /** To ask for; empty to ask without the parameter. */
  scopes: readonly string[];
}

/**
 * Discovers whether and where people sign in to the server at `url`. Only reads, but for a session that is
 * opened and ended again: it may be repeated. Throws OAuthDiscoveryError, or the reason of `context.signal`.
 */
export async function discoverRemoteServer(context: OAuthContext, url: string): Promise<RemoteServer> {
  const server = parseServerUrl(context.policy, url, 'The address', 'url_refused');
  const { discoveryTimeoutMs } = limitsOf(context);
  const late = new OAuthDiscoveryError(
    'unreachable',
    `${server.host} and its authorization server took longer than ${discoveryTimeoutMs / 1000} seconds.`,
    true,
  );
  return withinLimit(
    discoveryTimeoutMs,
    context.signal,
    async (signal) => {
      const limited = { ...context, signal };
      const found = await probe(limited, server);
      return found.kind === 'no_sign_in' ? found : discoverSignIn(limited, server, found.challenge);
    },
    late,
  );
}

async function discoverSignIn(
  context: OAuthContext,
  server: URL,
  challenge: SignInChallenge,
): Promise<SignInServer> {
  const metadata = await findResourceMetadata(context, server, challenge.resourceMetadata);
  if ('remark' in metadata) {
    throw withoutMetadata(server, challenge, metadata.remark);
  }
  const authorizationServer = await findAuthorizationServer(context, metadata.authorizationServers);
  const sources = {
    challenge: challenge.scopes,
    resource: metadata.scopes,
    server: authorizationServer.scopes,
  };
  return {
    kind: 'sign_in',
    resource: metadata.resource,
    authorizationServer,
    scopes: selectScopes(sources, authorizationServer.refreshesTokens),
  };
}

/**
 * Revision 2025-03-26 took the server's own origin for its authorization server then. Nothing would bind the
 * tokens to the server, and later revisions require the metadata, so such a server is refused.
 */
function withoutMetadata(server: URL, challenge: SignInChallenge, remark: string): OAuthDiscoveryError {
  const { asksFor, resourceMetadata: named } = challenge;
  if (asksFor !== 'bearer') {
    return staticKey(server.host, `asks for a credential and has no protected resource metadata${remark}`);
  }
  const elsewhere =
    named !== null && named.origin !== server.origin
      ? `; it names ${quote(named.href)}, which is passed over because it is on another origin`
      : '';
  return new OAuthDiscoveryError(
    'resource_metadata_missing',
    `${server.host} asks for a token but has no protected resource metadata (RFC 9728)${remark}${elsewhere}; it takes a static key, which is set as a header of the entry, or is made for an older revision of MCP and has to be updated.`,
  );
}
