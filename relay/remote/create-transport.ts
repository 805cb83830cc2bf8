/** The SDK's transport to the remote server, behind the guard and with the server's credential. */
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { BridgeConfig } from '../../contract/remote-server.ts';
import { remotePolicy } from '../../lib/oauth/requests.ts';
import type { ResolveName } from '../../lib/outbound/guarded-lookup.ts';
import { AccessTokens, tokenSocket } from './authorized-request.ts';
import { createGuardedFetch } from './guarded-fetch.ts';
import type { OpenMessages } from './open-messages.ts';
import type { StreamDependencies } from './sealed-stream.ts';
import type { StaticCredential } from './static-headers.ts';

export interface TransportDependencies extends StreamDependencies {
  config: BridgeConfig;
  credential: StaticCredential;
  messages: OpenMessages;
  resolveName: ResolveName;
}

/**
 * The fetch waits before it connects a stream again, and tries as often as is useful: the
 * transport is to do neither.
 */
const reconnectionOptions = {
  initialReconnectionDelay: 0,
  maxReconnectionDelay: 0,
  reconnectionDelayGrowFactor: 1,
  maxRetries: 1,
};

export function createTransport({
  config,
  credential,
  resolveName,
  ...dependencies
}: TransportDependencies): StreamableHTTPClientTransport {
  const { token_socket: socket, private_hosts: hosts, host_socket: hostSocket } = config;
  const tokens =
    socket === null ? null : new AccessTokens(tokenSocket(socket, dependencies.limits.accessTokenMs));
  const policy = remotePolicy(new Map(Object.entries(hosts)));
  const url = new URL(config.url);
  const fetch = createGuardedFetch({
    ...dependencies,
    url,
    credential: {
      context: { policy, resolveName, workspaceId: null, hostSocket },
      staticCredential: credential,
      tokens,
    },
    credentials: () => [...credential.secrets, ...(tokens?.last ? [tokens.last] : [])],
  });
  return new StreamableHTTPClientTransport(url, { fetch, reconnectionOptions });
}
