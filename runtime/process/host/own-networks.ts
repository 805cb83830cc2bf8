/** The non-loopback IPv4 addresses of this machine, and their networks. */
import { networkInterfaces } from 'node:os';

export interface OwnNetwork {
  address: string;
  /** As a route: `192.0.2.0/24`. */
  network: string;
  /** The broadcast address. */
  broadcast: string;
}

export function ownNetworks(): OwnNetwork[] {
  return Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ family, internal }) => family === 'IPv4' && !internal)
    .map(({ address, netmask }) => networkOf(address, netmask));
}

/** Pure. */
export function networkOf(address: string, netmask: string): OwnNetwork {
  const mask = toNumber(netmask);
  const first = (toNumber(address) & mask) >>> 0;
  const bits = mask.toString(2).replaceAll('0', '').length;
  return { address, network: `${toText(first)}/${bits}`, broadcast: toText((first | ~mask) >>> 0) };
}

const toNumber = (address: string) =>
  address.split('.').reduce((sum, part) => ((sum << 8) | Number(part)) >>> 0, 0);

const toText = (value: number) => [24, 16, 8, 0].map((shift) => (value >>> shift) & 255).join('.');
