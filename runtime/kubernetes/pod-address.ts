import { isIPv4, isIPv6 } from 'node:net';
import type { Pod } from './pod.ts';

/**
 * The host of URLs of a Pod, as parsed URLs have it; null while it has no address. IPv4 where there is some,
 * as sidecars choose (`sidecar/control/listen-for-platform.ts`).
 */
export function hostOf({ status }: Pick<Pod, 'status'>): string | null {
  const addresses = [status.podIP ?? '', ...(status.podIPs ?? []).map(({ ip }) => ip)];
  const ipv4 = addresses.find((address) => isIPv4(address));
  const ipv6 = addresses.find((address) => isIPv6(address));
  return ipv4 ?? (ipv6 === undefined ? null : new URL(`http://[${ipv6}]`).hostname);
}
