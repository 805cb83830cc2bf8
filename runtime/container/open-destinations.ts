/** Opens what the operator listed in the network policies of a session, and nothing else of it. */
import { isIPv4 } from 'node:net';
import type { ResolveName } from '../../lib/outbound/guarded-lookup.ts';
import { type OpenedHost, openPrivateHost } from '../open-private-host.ts';
import { WorkloadFailedError } from '../workload.ts';
import type { ContainerPlan } from './container-plan.ts';

/**
 * A holder's plan with the addresses that its host has now; any other as it is. Throws WorkloadFailedError.
 */
export async function openDestinations(
  plan: ContainerPlan,
  resolveName: ResolveName,
): Promise<ContainerPlan> {
  return plan.opens === null ? plan : withOpened(plan, await openPrivateHost(plan.opens, resolveName));
}

/**
 * Pure. The network policy knows IPv4 alone; the name is the same for those who share the network,
 * whatever a resolver says later.
 */
export function withOpened(plan: ContainerPlan, { name, addresses, port }: OpenedHost): ContainerPlan {
  const usable = addresses.filter((address) => isIPv4(address));
  if (usable.length === 0) {
    throw new WorkloadFailedError(
      `${name ?? addresses.join(', ')} of PRIVATE_MCP_HOSTS has no IPv4 address, and containers reach no other one`,
    );
  }
  const { body } = plan;
  const options = usable.flatMap((address) => ['--open', `${address}:${port}`]);
  const hosts = name === null ? {} : { ExtraHosts: usable.map((address) => `${name}:${address}`) };
  return {
    ...plan,
    body: {
      ...body,
      Entrypoint: [...body.Entrypoint, ...options],
      HostConfig: { ...body.HostConfig, ...hosts },
    },
  };
}
