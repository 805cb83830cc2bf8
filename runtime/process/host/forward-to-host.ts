/**
 * Forwards connections of one sandbox to one host with a private address, which its network keeps it from.
 * The socket is in the directory that this sandbox alone sees, and leads to the host and port that the
 * operator listed and to nothing else (docs/decisions/0045-private-hosts-of-remote-servers.md).
 */
import { connect, createServer, type LookupFunction, type Server, type Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { assertSocketPath } from '../../../contract/socket-path.ts';
import { guardedLookup, type ResolveName, refuseAddress } from '../../../lib/outbound/guarded-lookup.ts';
import type { OutboundPolicy } from '../../../lib/outbound/policy.ts';
import { resolveByLookup } from '../../../lib/outbound/resolve-names.ts';
import { literalAddress } from '../../../lib/outbound/special-ranges.ts';
import { destinationOf } from '../../bridge-config.ts';
import type { PrivateHostLaunch } from '../render-launch.ts';

const maxConnections = 64;
const connectTimeoutMs = 10_000;

/**
 * Listens until `close`. What it forwards to is looked up for each connection, and never has an address of a
 * metadata service. A connection that cannot be made ends without a byte. Throws when the socket cannot be
 * created, and OutboundError for an address that is never connected to.
 */
export async function forwardToHost(
  { socket: path, origin }: PrivateHostLaunch,
  resolveName: ResolveName = resolveByLookup,
): Promise<{ close(): void }> {
  assertSocketPath(path);
  const url = new URL(origin);
  const policy: OutboundPolicy = {
    privateHosts: new Map([[url.host, url.protocol === 'http:' ? 'http' : 'https']]),
    setting: 'PRIVATE_MCP_HOSTS of the worker',
  };
  // A host that is an address is not looked up.
  const literal = literalAddress(url.hostname);
  if (literal !== null) {
    refuseAddress(policy, url, literal);
  }
  const open = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    const remote = connectTo(url, guardedLookup(policy, url, resolveName));
    for (const each of [socket, remote]) {
      open.add(each);
      each.once('close', () => open.delete(each));
    }
    void join(socket, remote);
  });
  server.maxConnections = maxConnections;
  await listening(server, path);
  return {
    close() {
      server.close();
      for (const each of open) {
        each.destroy();
      }
    },
  };
}

function connectTo(url: URL, lookup: LookupFunction): Socket {
  const { hostname, port } = destinationOf(url.origin);
  const remote = connect({ host: hostname, port, lookup, allowHalfOpen: true });
  remote.setTimeout(connectTimeoutMs, () => remote.destroy());
  remote.once('connect', () => remote.setTimeout(0));
  return remote;
}

/** Bytes and ends go both ways; whatever breaks one side breaks the other. */
async function join(one: Socket, other: Socket): Promise<void> {
  await Promise.allSettled([pipeline(one, other), pipeline(other, one)]);
}

function listening(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
}
