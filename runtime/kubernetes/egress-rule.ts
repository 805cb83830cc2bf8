/** An egress rule of an admin for an agent or a server: one port of one address range. */
import { isIP } from 'node:net';
import { isRange, rangeContains } from '../../config/address-range.ts';
import type { FrozenConfiguration } from '../../contract/session.ts';
import { UnsupportedWorkloadError } from '../workload.ts';

export interface EgressRule {
  cidr: string;
  port: number;
}

/** Null for anything but `address:port` and `cidr:port`, with IPv6 in brackets. */
function readEgressRule(text: string): EgressRule | null {
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text) ?? [];
  const destination = bracketed ?? plain ?? '';
  const bits = { 0: null, 4: 32, 6: 128 }[isIP(destination)];
  const cidr = bits ? `${destination}/${bits}` : destination;
  const number = Number(port);
  return isRange(cidr) && number > 0 && number < 65_536 ? { cidr, port: number } : null;
}

/** Throws UnsupportedWorkloadError: a network policy supports addresses only. */
export function parseEgressRule(text: string): EgressRule {
  const rule = readEgressRule(text);
  if (rule === null) {
    throw new UnsupportedWorkloadError(
      `egress_allow "${text}": on Kubernetes a destination is an address or a range of addresses, with a port, such as 10.1.2.0/24:5432`,
    );
  }
  return rule;
}

/**
 * Throws UnsupportedWorkloadError for what these settings do not allow. Workspace admins are tenants: the
 * network belongs to the platform's operator, and holds databases and metadata services.
 */
export function checkEgress({ agent, servers }: FrozenConfiguration, egressRanges: readonly string[]): void {
  for (const { name, network, egress_allow } of [agent, ...servers]) {
    for (const text of egress_allow) {
      const { cidr } = parseEgressRule(text);
      if (!egressRanges.some((range) => rangeContains(range, cidr))) {
        throw new UnsupportedWorkloadError(
          `"${name}": egress_allow "${text}" is outside the ranges that this platform's operator lets workspaces open (KUBERNETES_EGRESS_RANGES)`,
        );
      }
      if (network === 'none') {
        throw new UnsupportedWorkloadError(
          `"${name}": egress_allow needs the network "internet"; with "none" nothing is reached`,
        );
      }
    }
  }
}
