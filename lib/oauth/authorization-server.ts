/** Authorization server metadata (RFC 8414, OpenID Connect Discovery 1.0): what is read, and what is required of it. Pure. */
import * as z from 'zod';
import type { OutboundPolicy } from '../outbound/policy.ts';
import { readFields } from './documents.ts';
import { OAuthDiscoveryError } from './errors.ts';
import { quote } from './quote.ts';
import { parseServerUrl } from './server-url.ts';

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

const code = 'authorization_server_invalid';
const text = z.string('must be a text').max(2048, 'is longer than 2048 characters');
const listed = z.array(text, 'must be a list of texts').max(500, 'has more than 500 items');
const flag = z.boolean('must be true or false').optional();
const schema = z.object({
  issuer: text,
  authorization_endpoint: text,
  token_endpoint: text,
  registration_endpoint: text.optional(),
  revocation_endpoint: text.optional(),
  response_types_supported: listed,
  response_modes_supported: listed.optional(),
  grant_types_supported: listed.optional(),
  scopes_supported: listed.optional(),
  code_challenge_methods_supported: listed.optional(),
  token_endpoint_auth_methods_supported: listed.optional(),
  revocation_endpoint_auth_methods_supported: listed.optional(),
  client_id_metadata_document_supported: flag,
  authorization_response_iss_parameter_supported: flag,
  require_pushed_authorization_requests: flag,
  require_signed_request_object: flag,
});
type Document = z.infer<typeof schema>;

/** Reads the document that was fetched for `issuer`, and which `what` names in messages. Throws OAuthDiscoveryError. */
export function parseAuthorizationServer(
  policy: OutboundPolicy,
  value: unknown,
  issuer: string,
  what: string,
): AuthorizationServer {
  const document = readFields(schema, value, what, code);
  requireIssuer(document, issuer, what);
  requireCodeFlow(document, what);
  requireS256(document, what);
  const endpoint = (field: EndpointField, url: string): string => {
    parseServerUrl(policy, url, `In ${what} the field "${field}" with`, 'endpoint_refused');
    return url;
  };
  const optional = (field: 'registration_endpoint' | 'revocation_endpoint') => {
    const url = document[field];
    return url === undefined ? null : endpoint(field, url);
  };
  return {
    issuer,
    authorizationEndpoint: endpoint('authorization_endpoint', document.authorization_endpoint),
    tokenEndpoint: endpoint('token_endpoint', document.token_endpoint),
    registrationEndpoint: optional('registration_endpoint'),
    revocationEndpoint: optional('revocation_endpoint'),
    tokenAuthMethods: knownMethods(document.token_endpoint_auth_methods_supported),
    revocationAuthMethods: knownMethods(document.revocation_endpoint_auth_methods_supported),
    refreshesTokens: document.grant_types_supported?.includes('refresh_token') ?? true,
    scopes: document.scopes_supported ?? null,
    takesClientMetadataUrls: document.client_id_metadata_document_supported ?? false,
    sendsIssuer: document.authorization_response_iss_parameter_supported ?? false,
  };
}

type EndpointField = keyof Document & `${string}_endpoint`;

/** By plain comparison of texts (RFC 8414 3.3): two spellings of one URL are two issuers. */
function requireIssuer(document: Document, issuer: string, what: string): void {
  if (document.issuer !== issuer) {
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
