/** What requests to remote servers and their authorization servers are made with, and where they may go. */

import { literalAddress } from '../outbound/classify-address.ts';
import { OutboundError } from '../outbound/errors.ts';
import { refuseAddress } from '../outbound/guarded-lookup.ts';
import { parsePlainUrl } from '../outbound/parse-url.ts';
import { allowsHttp, type OutboundPolicy } from '../outbound/policy.ts';
import { namesUnder } from '../outbound/resolve-names.ts';
import type { OutboundContext } from '../outbound/send.ts';
import { OAuthDiscoveryError, type OAuthDiscoveryErrorCode, quote } from './errors.ts';

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
