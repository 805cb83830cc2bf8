/** What requests to remote servers and their authorization servers are made with. */
import type { OutboundPolicy } from '../outbound/policy.ts';
import { namesUnder } from '../outbound/resolve-names.ts';
import type { OutboundContext } from '../outbound/send.ts';
import { remotePolicy } from './policy.ts';

export interface OAuthContext extends OutboundContext {
  limits?: OAuthLimits;
}

/** What they are made with before it is known what ends them. */
export type RemoteServers = Omit<OAuthContext, 'signal'>;

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
