import {
  createMcpHandler,
  getOAuthProtectedResourceMetadataUrl,
  OAuthError,
  OAuthErrorCode,
  requireBearerAuth,
} from '@modelcontextprotocol/server';
import { createLocalJWKSet, errors, jwtVerify } from 'jose';
import { pageHeaders } from '../demo-identity/page.mjs';
import { readScope, writeScope } from './authorization-server.mjs';
import { callsPage } from './page.mjs';
import { createTicketServer } from './ticket-server.mjs';

/**
 * A remote MCP server at `url` (Streamable HTTP, both lines of revisions, without sessions) that acts as the
 * person of an access token. Returns the function from a `Request` to its `Response`. It says who signs
 * people in (RFC 9728); a token has to be the issuer's, for this server and with the scope to read. Its root
 * lists who called what. `publicKeys` are the issuer's, as a JWK set.
 */
export function createRemoteServer({ url, issuer, publicKeys, people, tickets, calls }) {
  const metadataUrl = getOAuthProtectedResourceMetadataUrl(url);
  const authenticate = requireBearerAuth({
    verifier: createVerifier({ url, issuer, publicKeys, people }),
    expectedResource: url,
    requiredScopes: [readScope],
    resourceMetadataUrl: metadataUrl,
  });
  const mcp = createMcpHandler(({ authInfo: { extra, scopes } }) =>
    createTicketServer({ tickets, calls, person: extra.person, scopes }),
  );
  return async (request) => {
    const { origin, pathname } = new URL(request.url);
    if (`${origin}${pathname}` === metadataUrl) {
      return Response.json(metadataOf(url, issuer));
    }
    if (pathname === '/') {
      return new Response(callsPage(calls.list()), { headers: pageHeaders });
    }
    if (pathname !== url.pathname) {
      return new Response('The MCP endpoint is /mcp.\n', { status: 404 });
    }
    const authInfo = await authenticate(request);
    return authInfo instanceof Response ? authInfo : mcp.fetch(request, { authInfo });
  };
}

const metadataOf = (url, issuer) => ({
  resource: url.href,
  resource_name: 'Tickets of the demo',
  authorization_servers: [issuer],
  scopes_supported: [readScope, writeScope],
  bearer_methods_supported: ['header'],
});

/**
 * Verifies tokens by RFC 9068. Every reason is `invalid_token`, with words that repeat nothing of the token.
 */
function createVerifier({ url, issuer, publicKeys, people }) {
  const keys = createLocalJWKSet(publicKeys);
  return {
    async verifyAccessToken(token) {
      const { payload } = await jwtVerify(token, keys, {
        issuer,
        audience: url.href,
        algorithms: ['RS256'],
        typ: 'at+jwt',
        requiredClaims: ['exp', 'sub', 'client_id'],
      }).catch((error) => {
        throw invalid(
          error instanceof errors.JWTExpired ? 'The token has expired' : 'The token is not valid',
        );
      });
      const { sub, exp, client_id: clientId, scope = '' } = payload;
      if (!Object.hasOwn(people, sub)) {
        throw invalid('The token is of nobody who is known here');
      }
      return {
        token,
        clientId,
        scopes: scope.split(' '),
        expiresAt: exp,
        resource: url,
        extra: { person: { id: sub, name: people[sub].name } },
      };
    },
  };
}

const invalid = (why) => new OAuthError(OAuthErrorCode.InvalidToken, why);
