/**
 * Metadata of the protected resource (RFC 9728): who the server says it is, and who signs people in for it.
 * Then that of the authorization server (RFC 8414, OpenID Connect Discovery 1.0): what is required of it.
 */
import * as z from 'zod';
import { parseUrl } from '../outbound/parse-url.ts';
import type { OutboundPolicy } from '../outbound/policy.ts';
import { isScope } from './challenge.ts';
import { OAuthDiscoveryError, quote } from './errors.ts';
import {
  authorizationServerMetadataUrls,
  fetchFirstDocument,
  limitsOf,
  type OAuthContext,
  parseServerUrl,
  readFields,
  readJson,
  resourceMetadataUrls,
} from './requests.ts';

export interface ResourceMetadata {
  /** As the server spells it: what tokens are asked for. */
  resource: string;
  /** Issuers, in the server's order; not checked. */
  authorizationServers: readonly string[];
  /** Null when it names none. */
  scopes: readonly string[] | null;
}

const text = z.string('must be a text').max(2048, 'is longer than 2048 characters');
const listOf = (maxItems: number) =>
  z.array(text, 'must be a list of texts').max(maxItems, `has more than ${maxItems} items`);
/** Many servers write a member that they do not have as null, and an address that they do not have as "". */
const optional = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullish().transform((value) => value ?? undefined);
const flag = optional(z.boolean('must be true or false'));
const resourceSchema = z.object({
  resource: text,
  authorization_servers: optional(listOf(100).min(1, 'must name at least one')),
  scopes_supported: optional(
    z
      .array(text.refine(isScope, 'has an item that is no scope'), 'must be a list of texts')
      .max(100, 'has more than 100 items'),
  ),
  bearer_methods_supported: optional(listOf(100)),
  dpop_bound_access_tokens_required: flag,
  tls_client_certificate_bound_access_tokens: flag,
});

/**
 * Fetches the document for a server: from the URL of its challenge, else from its well-known URLs. A remark
 * when there is none anywhere. A challenge that names another origin is passed over: by RFC 9728 3 the
 * document is at a URL made from the resource's own, and a header alone, which a proxy or a reflected host
 * name may have set, must not choose who signs people in. Throws OAuthDiscoveryError.
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
        readJson(
          found.body,
          limitsOf(context).documentValues,
          nameOf(found.url),
          'resource_metadata_invalid',
        ),
        server,
        nameOf(found.url),
      );
}

const nameOf = (url: URL): string => `the protected resource metadata ${quote(url.href)}`;

/** Reads a document that `what` names in messages. Pure. Throws OAuthDiscoveryError. */
export function parseResourceMetadata(value: unknown, server: URL, what: string): ResourceMetadata {
  const document = readFields(resourceSchema, value, what, 'resource_metadata_invalid');
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
function requireBearerTokens(document: z.infer<typeof resourceSchema>, what: string): void {
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

/**
 * Throws OAuthDiscoveryError `resource_refused` unless `resource` is the server's URL or a parent path of it
 * on the same origin. Otherwise a hostile server could name another's resource, and would be sent the tokens
 * that are made for that one.
 */
export function requireOwnResource(resource: string, server: URL): void {
  const why = resourceRefusal(resource, server);
  if (why !== null) {
    throw new OAuthDiscoveryError(
      'resource_refused',
      `The server at ${quote(server.href)} says in "resource" that it is ${quote(resource)}, which ${why}; tokens would be made for another server, so correct the URL or ask the server's operator.`,
    );
  }
}

/** Dots and separators that one reader decodes and another does not, and backslashes. */
const ambiguous = /%2e|%2f|%5c|\\|\/\.{1,2}(?:[/?#]|$)/i;

/** Why it is not, to complete a sentence; null when it is. */
export function resourceRefusal(resource: string, server: URL): string | null {
  if (resource === server.href) {
    return null;
  }
  const named = /^https?:\/\/[\x21-\x7e]+$/i.test(resource) ? parseUrl(resource) : null;
  if (named === null) {
    return 'is not a web address';
  }
  if (named.username !== '' || named.password !== '' || resource.includes('#')) {
    return 'has a user name, password or fragment';
  }
  if (named.origin !== server.origin) {
    return 'is on another origin';
  }
  if (ambiguous.test(resource)) {
    return 'has a path that can be read in two ways';
  }
  if (resource.includes('?')) {
    const isSame = named.search === server.search && named.pathname === server.pathname;
    return isSame ? null : 'has a query that is not in the URL';
  }
  return isParentPath(named.pathname, server.pathname) ? null : 'is not a parent path of the URL';
}

/** By whole segments; a slash at the end makes no difference. */
function isParentPath(parent: string, path: string): boolean {
  const withSlash = (text: string) => (text.endsWith('/') ? text : `${text}/`);
  return withSlash(path).startsWith(withSlash(parent));
}

/** Ways of authenticating at a token endpoint that the platform speaks. */
export type TokenAuthMethod = 'client_secret_basic' | 'client_secret_post' | 'none';

/** Nothing in it is secret, and all of it is checked. Endpoints are as the server spells them. */
export interface AuthorizationServer {
  issuer: string;
  authorizationEndpoint: string;
  tokenEndpoint: string;
  /** RFC 7591; null when it registers no clients. */
  registrationEndpoint: string | null;
  /** RFC 7009; null when tokens cannot be revoked. */
  revocationEndpoint: string | null;
  /** Those of the platform's that the server takes; may be empty. */
  tokenAuthMethods: readonly TokenAuthMethod[];
  revocationAuthMethods: readonly TokenAuthMethod[];
  /** Whether the refresh_token grant may be asked for. */
  refreshesTokens: boolean;
  /** Null when it names none. */
  scopes: readonly string[] | null;
  /** Whether it takes the URL of a Client ID Metadata Document as a client's id. */
  takesClientMetadataUrls: boolean;
  /** Whether its authorization responses must have `iss` (RFC 9207). */
  sendsIssuer: boolean;
}

const listed = listOf(500);
const optionalUrl = optional(text).transform((url) => (url === '' ? undefined : url));
const serverSchema = z.object({
  issuer: text,
  authorization_endpoint: text,
  token_endpoint: text,
  registration_endpoint: optionalUrl,
  revocation_endpoint: optionalUrl,
  response_types_supported: listed,
  response_modes_supported: optional(listed),
  grant_types_supported: optional(listed),
  // Of these only `offline_access` is looked for, and large providers list thousands.
  scopes_supported: optional(listOf(5000)),
  code_challenge_methods_supported: optional(listed),
  token_endpoint_auth_methods_supported: optional(listed),
  revocation_endpoint_auth_methods_supported: optional(listed),
  client_id_metadata_document_supported: flag,
  authorization_response_iss_parameter_supported: flag,
  require_pushed_authorization_requests: flag,
  require_signed_request_object: flag,
});
type Document = z.infer<typeof serverSchema>;

/**
 * Reads the document that was fetched for `issuer`, and which `what` names in messages.
 * Throws OAuthDiscoveryError.
 */
export function parseAuthorizationServer(
  policy: OutboundPolicy,
  value: unknown,
  issuer: string,
  what: string,
): AuthorizationServer {
  const document = readFields(serverSchema, value, what, 'authorization_server_invalid');
  requireIssuer(document, issuer, what);
  requireCodeFlow(document, what);
  requireS256(document, what);
  const endpoint = (field: EndpointField, url: string): string => {
    parseServerUrl(policy, url, `In ${what} the field "${field}" with`, 'endpoint_refused');
    return url;
  };
  const endpointOrNull = (field: 'registration_endpoint' | 'revocation_endpoint') => {
    const url = document[field];
    return url === undefined ? null : endpoint(field, url);
  };
  return {
    issuer: document.issuer,
    authorizationEndpoint: endpoint('authorization_endpoint', document.authorization_endpoint),
    tokenEndpoint: endpoint('token_endpoint', document.token_endpoint),
    registrationEndpoint: endpointOrNull('registration_endpoint'),
    revocationEndpoint: endpointOrNull('revocation_endpoint'),
    tokenAuthMethods: knownMethods(document.token_endpoint_auth_methods_supported),
    revocationAuthMethods: knownMethods(document.revocation_endpoint_auth_methods_supported),
    refreshesTokens: document.grant_types_supported?.includes('refresh_token') ?? true,
    scopes: document.scopes_supported ?? null,
    takesClientMetadataUrls: document.client_id_metadata_document_supported ?? false,
    sendsIssuer: document.authorization_response_iss_parameter_supported ?? false,
  };
}

type EndpointField = keyof Document & `${string}_endpoint`;

const withoutSlash = (url: string): string => (url.endsWith('/') ? url.slice(0, -1) : url);

/**
 * By plain comparison of texts (RFC 8414 3.3), but for a slash at the end, which frameworks add where they
 * print the address of a root. With and without it the metadata is at the same addresses, so nobody else can
 * be meant. From then on the issuer is as it spells itself.
 */
function requireIssuer(document: Document, issuer: string, what: string): void {
  if (withoutSlash(document.issuer) !== withoutSlash(issuer)) {
    throw new OAuthDiscoveryError(
      'issuer_mismatch',
      `In ${what} the field "issuer" is ${quote(document.issuer)}, but ${quote(issuer)} was asked; the two must be spelled alike, so ask the server's operator.`,
    );
  }
}

function requireCodeFlow(document: Document, what: string): void {
  const refuse = (field: keyof Document, why: string) =>
    new OAuthDiscoveryError('feature_unsupported', `In ${what} the field "${field}" ${why}.`);
  if (!document.response_types_supported.includes('code')) {
    throw refuse('response_types_supported', 'lacks "code", the only response type that the platform uses');
  }
  if (document.grant_types_supported?.includes('authorization_code') === false) {
    throw refuse('grant_types_supported', 'lacks "authorization_code", by which people sign in');
  }
  if (document.response_modes_supported?.includes('query') === false) {
    throw refuse('response_modes_supported', 'lacks "query", the only response mode that the platform uses');
  }
  if (document.require_pushed_authorization_requests === true) {
    throw refuse(
      'require_pushed_authorization_requests',
      'asks for pushed requests, which the platform does not send',
    );
  }
  if (document.require_signed_request_object === true) {
    throw refuse(
      'require_signed_request_object',
      'asks for signed requests, which the platform does not send',
    );
  }
}

function requireS256({ code_challenge_methods_supported: methods }: Document, what: string): void {
  if (methods?.includes('S256') !== true) {
    const found = methods === undefined ? 'is missing' : `lacks "S256" (it has ${quote(methods.join(', '))})`;
    throw new OAuthDiscoveryError(
      'pkce_unsupported',
      `In ${what} the field "code_challenge_methods_supported" ${found}; without PKCE a stolen code could be redeemed, so ask the server's operator to turn it on.`,
    );
  }
}

const spoken: readonly TokenAuthMethod[] = ['client_secret_basic', 'client_secret_post', 'none'];

/** Without a list it is `client_secret_basic` (RFC 8414 2). */
const knownMethods = (listedMethods: readonly string[] = ['client_secret_basic']): TokenAuthMethod[] =>
  spoken.filter((method) => listedMethods.includes(method));

/**
 * Tries them in the server's order, up to a bound, and returns the first that is usable. One that is only in
 * trouble now ends the search: credentials belong to an issuer, and which it is must not depend on a moment.
 * Throws OAuthDiscoveryError, the first one's when none is usable.
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
