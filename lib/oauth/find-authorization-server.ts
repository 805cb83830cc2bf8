/** Chooses among the authorization servers that a server names: the first that can be used. */
import { type AuthorizationServer, parseAuthorizationServer } from './authorization-server.ts';
import { limitsOf, type OAuthContext } from './context.ts';
import { fetchFirstDocument, readJson } from './documents.ts';
import { OAuthDiscoveryError } from './errors.ts';
import { quote } from './quote.ts';
import { parseServerUrl } from './server-url.ts';
import { authorizationServerMetadataUrls } from './well-known.ts';

/**
 * Tries them in the server's order, up to a bound, and returns the first that is usable. One that is only in trouble now ends the search:
 * credentials belong to an issuer, and which it is must not depend on a moment. Throws OAuthDiscoveryError, the first one's when none is usable.
 */
export async function findAuthorizationServer(
  context: OAuthContext,
  issuers: readonly string[],
): Promise<AuthorizationServer> {
  let refusal: OAuthDiscoveryError | null = null;
  for (const issuer of issuers.slice(0, limitsOf(context).authorizationServers)) {
    try {
      return await readAuthorizationServer(context, issuer);
    } catch (error) {
      if (!(error instanceof OAuthDiscoveryError) || error.isTemporary) {
        throw error;
      }
      refusal ??= error;
    }
  }
  throw (
    refusal ??
    new OAuthDiscoveryError('authorization_server_missing', 'The server names no authorization server.')
  );
}

/** Fetches and checks the metadata of one issuer. Throws OAuthDiscoveryError. */
export async function readAuthorizationServer(
  context: OAuthContext,
  issuer: string,
): Promise<AuthorizationServer> {
  const url = parseIssuer(context, issuer);
  const found = await fetchFirstDocument(context, authorizationServerMetadataUrls(url));
  if (found.kind === 'none') {
    throw new OAuthDiscoveryError(
      'authorization_server_missing',
      `The authorization server ${quote(issuer)} has no metadata at any of its well-known addresses${found.remark}; ask its operator whether the address is right.`,
    );
  }
  const what = `the authorization server metadata ${quote(found.url.href)}`;
  const document = readJson(
    found.body,
    limitsOf(context).documentValues,
    what,
    'authorization_server_invalid',
  );
  return parseAuthorizationServer(context.policy, document, issuer, what);
}

/** An issuer has no query (RFC 8414 2), which its well-known URLs could not hold. */
function parseIssuer({ policy }: OAuthContext, issuer: string): URL {
  const url = parseServerUrl(policy, issuer, 'The authorization server', 'authorization_server_refused');
  if (issuer.includes('?')) {
    throw new OAuthDiscoveryError(
      'authorization_server_refused',
      `The authorization server ${quote(issuer)} has a query, which no issuer has.`,
    );
  }
  return url;
}
