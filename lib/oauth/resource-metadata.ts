/** Protected resource metadata (RFC 9728): who the server says it is, and who signs people in for it. */
import * as z from 'zod';
import { limitsOf, type OAuthContext } from './context.ts';
import { fetchFirstDocument, readFields, readJson } from './documents.ts';
import { OAuthDiscoveryError } from './errors.ts';
import { quote } from './quote.ts';
import { requireOwnResource } from './resource.ts';
import { isScope } from './scopes.ts';
import { resourceMetadataUrls } from './well-known.ts';

export interface ResourceMetadata {
  /** As the server spells it: what tokens are asked for. */
  resource: string;
  /** Issuers, in the server's order; not checked. */
  authorizationServers: readonly string[];
  /** Null when it names none. */
  scopes: readonly string[] | null;
}

const code = 'resource_metadata_invalid';
const text = z.string('must be a text').max(2048, 'is longer than 2048 characters');
const listed = z.array(text, 'must be a list of texts').max(100, 'has more than 100 items');
const schema = z.object({
  resource: text,
  authorization_servers: listed.min(1, 'must name at least one').optional(),
  scopes_supported: z
    .array(text.refine(isScope, 'has an item that is no scope'), 'must be a list of texts')
    .max(100, 'has more than 100 items')
    .optional(),
  bearer_methods_supported: listed.optional(),
  dpop_bound_access_tokens_required: z.boolean('must be true or false').optional(),
  tls_client_certificate_bound_access_tokens: z.boolean('must be true or false').optional(),
});

/**
 * Fetches the document for a server: from the URL of its challenge, else from its well-known URLs. A remark when there is none anywhere.
 * A challenge that names another origin is passed over: by RFC 9728 3 the document is at a URL made from the resource's own, and a header
 * alone, which a proxy or a reflected host name may have set, must not choose who signs people in. Throws OAuthDiscoveryError.
 */
export async function findResourceMetadata(
  context: OAuthContext,
  server: URL,
  challenged: URL | null,
): Promise<ResourceMetadata | { remark: string }> {
  const own = challenged !== null && challenged.origin === server.origin ? [challenged] : [];
  const urls = [...own, ...resourceMetadataUrls(server)];
  const distinct = urls.filter((url, at) => urls.findIndex(({ href }) => href === url.href) === at);
  const found = await fetchFirstDocument(context, distinct);
  return found.kind === 'none'
    ? { remark: found.remark }
    : parseResourceMetadata(
        readJson(found.body, limitsOf(context).documentValues, nameOf(found.url), code),
        server,
        nameOf(found.url),
      );
}

const nameOf = (url: URL): string => `the protected resource metadata ${quote(url.href)}`;

/** Reads a document that `what` names in messages. Pure. Throws OAuthDiscoveryError. */
export function parseResourceMetadata(value: unknown, server: URL, what: string): ResourceMetadata {
  const document = readFields(schema, value, what, code);
  requireOwnResource(document.resource, server);
  requireBearerTokens(document, what);
  const servers = document.authorization_servers;
  if (servers === undefined) {
    throw new OAuthDiscoveryError(
      'authorization_server_missing',
      `In ${what} the field "authorization_servers" is missing; nothing says where people sign in, so ask the server's operator.`,
    );
  }
  return {
    resource: document.resource,
    authorizationServers: [...new Set(servers)],
    scopes: document.scopes_supported ?? null,
  };
}

/** Tokens are sent in the header `Authorization`, and are bound to no key. */
function requireBearerTokens(document: z.infer<typeof schema>, what: string): void {
  const needs =
    document.bearer_methods_supported?.includes('header') === false
      ? ['bearer_methods_supported', 'tokens elsewhere than in the header Authorization']
      : document.dpop_bound_access_tokens_required === true
        ? ['dpop_bound_access_tokens_required', 'tokens that are bound to a key (DPoP)']
        : document.tls_client_certificate_bound_access_tokens === true
          ? ['tls_client_certificate_bound_access_tokens', 'tokens that are bound to a client certificate']
          : null;
  if (needs !== null) {
    throw new OAuthDiscoveryError(
      'feature_unsupported',
      `In ${what} the field "${needs[0]}" asks for ${needs[1]}, which the platform does not support.`,
    );
  }
}
