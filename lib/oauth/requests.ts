/**
 * Requests to remote servers and their authorization servers: what they are made with, where they may go, and
 * where the JSON documents of discovery are (RFC 8615, with the forms of RFC 9728 3.1, RFC 8414 3.1 and
 * OpenID Connect Discovery 4), how they are fetched and read.
 */
import type * as z from 'zod';
import { parseBoundedJson } from '../outbound/bounded-json.ts';
import { OutboundError } from '../outbound/errors.ts';
import { refuseAddress } from '../outbound/guarded-lookup.ts';
import { parsePlainUrl } from '../outbound/parse-url.ts';
import { allowsHttp, type OutboundPolicy } from '../outbound/policy.ts';
import { namesUnder } from '../outbound/resolve-names.ts';
import { type OutboundContext, request } from '../outbound/send.ts';
import { literalAddress } from '../outbound/special-ranges.ts';
import { OAuthDiscoveryError, type OAuthDiscoveryErrorCode, quote, quoteValue } from './errors.ts';

export interface OAuthContext extends OutboundContext {
  limits?: OAuthLimits;
}

/** What they are made with before it is known for whom, and what ends them. */
export type RemoteServers = Omit<OAuthContext, 'signal' | 'workspaceId'>;

/** For the servers of the internet, and those that `PRIVATE_MCP_HOSTS` lists. */
export const remoteServersWith = (privateHosts: OutboundPolicy['privateHosts']): RemoteServers => ({
  policy: remotePolicy(privateHosts),
  resolveName: namesUnder({ privateHosts }),
});

/** Bounds on what a server may cost; each refusal names the bound. Tests pass smaller ones. */
export interface OAuthLimits {
  /** Each request. */
  requestTimeoutMs: number;
  /** A whole discovery, which takes at most 3 + 3 + 3 x 3 requests. */
  discoveryTimeoutMs: number;
  /** Each document, and the answer to a probe. */
  documentBytes: number;
  documentValues: number;
  /** Within the origin of a document. */
  redirects: number;
  /** How many of a server's authorization servers are tried. */
  authorizationServers: number;
}

export const defaultOAuthLimits: Readonly<OAuthLimits> = {
  requestTimeoutMs: 10_000,
  discoveryTimeoutMs: 60_000,
  documentBytes: 256 * 1024,
  documentValues: 5000,
  redirects: 3,
  authorizationServers: 3,
};

export const limitsOf = ({ limits }: OAuthContext): OAuthLimits => limits ?? defaultOAuthLimits;

/** Which hosts there may be beyond those of the internet: what `PRIVATE_MCP_HOSTS` lists. */
export const remotePolicy = (privateHosts: OutboundPolicy['privateHosts']): OutboundPolicy => ({
  privateHosts,
  setting: 'PRIVATE_MCP_HOSTS of the API and the worker',
});

const maxUrlLength = 2048;

/**
 * The URL in `text`, which `what` names in messages. Throws OAuthDiscoveryError with `code` for one
 * that no request may go to.
 */
export function parseServerUrl(
  policy: OutboundPolicy,
  text: string,
  what: string,
  code: OAuthDiscoveryErrorCode,
): URL {
  const refuse = (why: string) => new OAuthDiscoveryError(code, `${what} ${quote(text)} ${why}`);
  const url = text.length <= maxUrlLength ? parsePlainUrl(text) : null;
  if (url === null) {
    throw refuse('is not a web address that begins with https:// and has only plain characters (ASCII).');
  }
  if (url.username !== '' || url.password !== '') {
    throw refuse('holds a user name or password; credentials have no place in an address.');
  }
  if (text.includes('#')) {
    throw refuse('has a fragment (#), which no server would ever see.');
  }
  if (url.protocol !== 'https:' && !allowsHttp(policy, url)) {
    throw refuse(`is not https; ${policy.setting} names the hosts that may speak plain http.`);
  }
  const literal = literalAddress(url.hostname);
  if (literal !== null) {
    checkAddress(policy, url, literal, refuse);
  }
  return url;
}

/** A request would be refused anyway, but a browser is led to some of these URLs, too. */
function checkAddress(
  policy: OutboundPolicy,
  url: URL,
  address: string,
  refuse: (why: string) => OAuthDiscoveryError,
): void {
  try {
    refuseAddress(policy, url, address);
  } catch (error) {
    throw error instanceof OutboundError ? refuse(`is refused: ${error.message}.`) : error;
  }
}

/**
 * Sets the path of a copy and never resolves it against the origin, as the SDK's `buildDiscoveryUrls` does:
 * an issuer such as `https://honest.test//evil.test` would then have its metadata read from `evil.test`.
 */
function withPath(base: URL, path: string, search = ''): URL {
  const url = new URL(base.origin);
  url.pathname = path;
  url.search = search;
  return url;
}

/** The path without a slash at its end; empty for the root. */
const trimmedPath = ({ pathname }: URL): string => pathname.replace(/\/$/, '');

/**
 * Where the metadata of a protected resource may be: with its path inserted, and at the root. The root comes
 * once when there is no path.
 */
export function resourceMetadataUrls(server: URL): URL[] {
  const name = '/.well-known/oauth-protected-resource';
  const path = trimmedPath(server);
  const inserted =
    path === '' && server.search === '' ? [] : [withPath(server, `${name}${path}`, server.search)];
  return [...inserted, withPath(server, name)];
}

/** Where that of an authorization server may be, in the order of the MCP specification. */
export function authorizationServerMetadataUrls(issuer: URL): URL[] {
  const path = trimmedPath(issuer);
  const oauth = withPath(issuer, `/.well-known/oauth-authorization-server${path}`);
  const openid = withPath(issuer, `/.well-known/openid-configuration${path}`);
  return path === ''
    ? [oauth, openid]
    : [oauth, openid, withPath(issuer, `${path}/.well-known/openid-configuration`)];
}

/** An OutboundError as an OAuthDiscoveryError with the same sentence; anything else as it is. */
export function explained(error: unknown): unknown {
  if (!(error instanceof OutboundError)) {
    return error;
  }
  const message = `${error.message}.`;
  switch (error.code) {
    case 'unreachable':
    case 'connection_refused':
    case 'timed_out':
    case 'tls_failed':
      return new OAuthDiscoveryError('unreachable', message, true);
    case 'certificate_refused':
    case 'client_certificate_required':
      return new OAuthDiscoveryError('unreachable', message);
    case 'address_refused':
    case 'insecure':
      return new OAuthDiscoveryError('address_refused', message);
    default:
      return new OAuthDiscoveryError('answer_refused', message);
  }
}

/** Whether a status says that the server has trouble of its own and may answer later. */
export const isTrouble = (status: number): boolean => status === 429 || status >= 500;

export type FirstDocument = { kind: 'found'; url: URL; body: Buffer } | { kind: 'none'; remark: string };

/**
 * The first of `urls` that has a document. An address that answers with something else, such as a page, has
 * none, and is mentioned in the remark, which begins with a space. A server in trouble ends the search, since
 * which document is used must not depend on a moment. Throws OAuthDiscoveryError.
 */
export async function fetchFirstDocument(
  context: OAuthContext,
  urls: readonly URL[],
): Promise<FirstDocument> {
  let remark = '';
  for (const url of urls) {
    const answer = await fetchDocument(context, url);
    if (typeof answer === 'string') {
      remark = ` (${answer})`;
    } else if (answer !== null) {
      return { kind: 'found', url, body: answer };
    }
  }
  return { kind: 'none', remark };
}

/** The bytes; null when there is nothing; a text when there is something that is no document. */
async function fetchDocument(context: OAuthContext, url: URL): Promise<Buffer | string | null> {
  const { requestTimeoutMs, documentBytes, redirects } = limitsOf(context);
  try {
    const { status, body } = await request(context, {
      method: 'GET',
      url,
      headers: { accept: 'application/json' },
      contentTypes: ['application/json'],
      maxBytes: documentBytes,
      timeoutMs: requestTimeoutMs,
      redirects,
    });
    if (isTrouble(status)) {
      const message = `${url.host} answered ${status} when it was asked for its metadata.`;
      throw new OAuthDiscoveryError('unreachable', message, true);
    }
    return status === 200 ? body : null;
  } catch (error) {
    if (error instanceof OutboundError && error.code === 'unexpected_content_type') {
      return error.message;
    }
    throw explained(error);
  }
}

/** The parsed JSON of a document. Throws OAuthDiscoveryError with `code`. */
export function readJson(
  body: Buffer,
  maxValues: number,
  what: string,
  code: OAuthDiscoveryErrorCode,
): unknown {
  const parsed = parseBoundedJson(body, maxValues);
  if ('problem' in parsed) {
    throw new OAuthDiscoveryError(code, `${sentence(what)} ${parsed.problem}.`);
  }
  return parsed.value;
}

/**
 * The fields of a document that are read. Throws OAuthDiscoveryError with `code`, which names the first wrong
 * field and what it holds; of `secretFields` only the name.
 */
export function readFields<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  what: string,
  code: OAuthDiscoveryErrorCode,
  secretFields: ReadonlySet<string> = new Set(),
): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) {
    return result.data;
  }
  const [issue] = result.error.issues;
  const field = issue?.path[0];
  if (typeof field !== 'string' || typeof value !== 'object' || value === null) {
    throw new OAuthDiscoveryError(code, `${sentence(what)} is not a JSON object.`);
  }
  const found: unknown = Object.hasOwn(value, field) ? Reflect.get(value, field) : undefined;
  const shown = secretFields.has(field) ? 'a value' : quoteValue(found);
  const holds = found === undefined ? 'is missing' : `holds ${shown}`;
  throw new OAuthDiscoveryError(
    code,
    `In ${what} the field "${field}" ${holds}; it ${issue?.message ?? 'is invalid'}.`,
  );
}

const sentence = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
