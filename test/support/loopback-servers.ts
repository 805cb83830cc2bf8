/** How remote servers are reached in tests: only those of the internet, until a test lists its own. */
import { remoteServersWith } from '../../lib/oauth/requests.ts';
import type { RemoteServer } from './remote-server.ts';

/** By `host` of a URL, for the servers of the test file. */
const listedHosts = new Map<string, 'https' | 'http'>();

export const loopbackServers = remoteServersWith(listedHosts);

/** Lists servers that speak plain HTTP. Returns the setting, for the API that the file starts. */
export function listServers(servers: readonly Pick<RemoteServer, 'host'>[]): { PRIVATE_MCP_HOSTS: string } {
  for (const { host } of servers) {
    listedHosts.set(host, 'http');
  }
  return { PRIVATE_MCP_HOSTS: servers.map(({ host }) => `http://${host}`).join(',') };
}

/**
 * For the end of the file: another one in this process may be given the same port, for a
 * server that is not listed.
 */
export function unlistServers(servers: readonly Pick<RemoteServer, 'host'>[]): void {
  for (const { host } of servers) {
    listedHosts.delete(host);
  }
}
