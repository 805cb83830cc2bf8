/** The package registries, as the operator configured them. */
import type { Agent } from 'node:http';
import { HttpsProxyAgent } from 'https-proxy-agent';

export interface Registry {
  /** Ends with a slash. */
  url: URL;
  /** The value of `Authorization`. Sent only to the registry's own origin; otherwise it never leaves this process. */
  authorization: string | null;
}

/** Null: not known here. */
export interface Registries {
  npm: Registry | null;
  uv: Registry | null;
}

export interface OutboundProxy {
  /** May hold a user name and a password. */
  url: string;
  /** Hosts that are reached without it: `host`, `.domain`, or `*`. */
  except: readonly string[];
}

export function agentThrough(proxy: OutboundProxy | null): (url: URL) => Agent | false {
  if (proxy === null) {
    return () => false;
  }
  const isExcepted = ({ hostname }: URL) =>
    proxy.except.some(
      (each) =>
        each === '*' || each === hostname || hostname.endsWith(each.startsWith('.') ? each : `.${each}`),
    );
  return (url) => (isExcepted(url) ? false : new HttpsProxyAgent(proxy.url));
}

/** An operator's URL, as the base of relative ones. */
export function baseUrl(url: string): URL {
  return new URL(url.endsWith('/') ? url : `${url}/`);
}

/** `user:password` is sent as such; anything else as npm sends a token. */
export function npmAuthorization(token: string): string {
  return token.includes(':') ? basic(token) : `Bearer ${token}`;
}

/** `user:password`, or a token as Python's package indexes expect it. */
export function pypiAuthorization(token: string): string {
  return basic(token.includes(':') ? token : `__token__:${token}`);
}

const basic = (userAndPassword: string) => `Basic ${Buffer.from(userAndPassword).toString('base64')}`;
