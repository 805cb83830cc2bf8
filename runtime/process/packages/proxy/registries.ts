/** Where packages come from, as the operator set it. */
import type { Agent } from 'node:http';
import { HttpsProxyAgent } from 'https-proxy-agent';

export interface Registry {
  /** Ends with a slash. */
  url: URL;
  /** The value of `Authorization`. It is sent to the registry's own origin alone, and never leaves this process otherwise. */
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

/** The URL of an operator, as the base of relative ones. */
export function baseUrl(url: string): URL {
  return new URL(url.endsWith('/') ? url : `${url}/`);
}

/** `user:password` is sent as such; anything else as npm sends a token. */
export function npmAuthorization(token: string): string {
  return token.includes(':') ? basic(token) : `Bearer ${token}`;
}

/** `user:password`, or a token in the way of Python's package indexes. */
export function pypiAuthorization(token: string): string {
  return basic(token.includes(':') ? token : `__token__:${token}`);
}

const basic = (userAndPassword: string) => `Basic ${Buffer.from(userAndPassword).toString('base64')}`;
