/**
 * Pure: what the bridge of a remote server runs with, on every runtime. It holds no credential: it is an
 * argument, which others can read.
 */
import type { BridgeConfig, RemoteShape } from '../contract/remote-server.ts';
import type { FrozenServer } from '../contract/session.ts';
import { tokenSocketName } from '../contract/token-socket-name.ts';

/**
 * Hosts that the operator listed (PRIVATE_MCP_HOSTS), by `host` of a URL, and whether they speak plain HTTP.
 */
export type PrivateHosts = ReadonlyMap<string, 'https' | 'http'>;

export type RemoteServer = Pick<FrozenServer, 'sign_in'> & { shape: RemoteShape };

export interface BridgePlace {
  privateHosts: PrivateHosts;
  /** The directory of the server's own sockets, as its container sees it. */
  mcpDirectory: string;
  /**
   * A socket where the runtime forwards to the private host, as the container sees it; null where the
   * container reaches it itself.
   */
  hostSocket: string | null;
}

export function bridgeConfigOf({ shape, sign_in }: RemoteServer, place: BridgePlace): BridgeConfig {
  const { privateHosts, mcpDirectory, hostSocket } = place;
  const isPrivate = privateOriginOf(shape, privateHosts) !== null;
  const { host } = new URL(shape.url);
  const scheme = privateHosts.get(host);
  return {
    url: shape.url,
    headers: shape.headers ?? [],
    private_hosts: isPrivate && scheme !== undefined ? { [host]: scheme } : {},
    token_socket: sign_in === 'oauth' ? `${mcpDirectory}/${tokenSocketName}` : null,
    ...(isPrivate && hostSocket !== null ? { host_socket: hostSocket } : {}),
  };
}

/**
 * Scheme, host and port of a remote server that the operator listed; null for any other, which has to be on
 * the internet. Without a port in the list the host is listed with the one of its scheme alone.
 */
export function privateOriginOf(
  { url }: Pick<RemoteServer['shape'], 'url'>,
  privateHosts: PrivateHosts,
): string | null {
  const { host, port, protocol, origin } = new URL(url);
  const scheme = privateHosts.get(host);
  return scheme !== undefined && (port !== '' || `${scheme}:` === protocol) ? origin : null;
}

/** What to connect to for an origin. Throws for none, since only a checked URL gets here. */
export function destinationOf(origin: string): { hostname: string; port: number } {
  const { hostname, port, protocol } = new URL(origin);
  const defaultPort = protocol === 'https:' ? 443 : 80;
  // Without brackets, which are the URL's notation of an IPv6 address.
  return { hostname: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? defaultPort : Number(port) };
}
