/**
 * Where containers reach a host with a private address: network policies know addresses alone, so its name is
 * looked up when the session starts, and stands for these addresses as long as it runs.
 */
import { isIPv4 } from 'node:net';
import { isLoopbackUrl } from '../config/parse.ts';
import type { ResolveName } from '../lib/outbound/guarded-lookup.ts';
import { classifyAddress, literalAddress } from '../lib/outbound/special-ranges.ts';
import { abandonAfter } from '../lib/timing/time-limit.ts';
import { destinationOf } from './bridge-config.ts';
import { WorkloadFailedError } from './workload.ts';

export interface OpenedHost {
  /** Null for a host that is an address itself. */
  name: string | null;
  /** At least one. */
  addresses: string[];
  port: number;
}

const lookUpLimitMs = 10_000;

/**
 * Throws WorkloadFailedError when it has no address, or any that is never connected to. Loopback is the
 * container's own, or of a whole Pod, where the agent could answer in the host's place.
 */
export async function openPrivateHost(origin: string, resolveName: ResolveName): Promise<OpenedHost> {
  const { hostname, port } = destinationOf(origin);
  const literal = literalAddress(hostname);
  const addresses = literal === null ? await lookUp(hostname, resolveName) : [literal];
  if (addresses.some((address) => classifyAddress(address) === 'never' || isLoopbackAddress(address))) {
    throw new WorkloadFailedError(
      `${hostname} of PRIVATE_MCP_HOSTS has an address that is never connected to; an operator has to give it another one`,
    );
  }
  return { name: literal === null ? hostname : null, addresses, port };
}

async function lookUp(hostname: string, resolveName: ResolveName): Promise<string[]> {
  const found = await abandonAfter(
    lookUpLimitMs,
    resolveName(hostname).catch(() => []),
    () => [],
  );
  if (found.length === 0) {
    throw new WorkloadFailedError(
      `${hostname} of PRIVATE_MCP_HOSTS has no address where the worker looks it up; an operator has to check its name`,
    );
  }
  return [...new Set(found.map(({ address }) => address))];
}

const isLoopbackAddress = (address: string) =>
  isLoopbackUrl(`http://${isIPv4(address) ? address : `[${address}]`}`);
