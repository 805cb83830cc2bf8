/** What requests to remote servers and their authorization servers are made with. */
import type { OutboundContext } from '../outbound/send.ts';

export interface OAuthContext extends OutboundContext {
  limits?: OAuthLimits;
}

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
