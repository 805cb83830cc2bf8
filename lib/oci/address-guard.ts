/**
 * Which addresses a registry may have. The check is made on the address that is connected to, inside the connection's own
 * look-up, which defeats DNS rebinding between check and use.
 */
import type { LookupAddress } from 'node:dns';
import { BlockList, isIP, isIPv4, type LookupFunction } from 'node:net';
import { ImageError } from './errors.ts';

/** Resolves a name to all its addresses; `dns.promises.lookup` with `all` outside of tests. */
export type ResolveName = (hostname: string) => Promise<LookupAddress[]>;

/** Never a registry: link-local, cloud metadata, unspecified and multicast addresses. No setting allows them. */
const never = blockList([
  '0.0.0.0/8',
  '169.254.0.0/16',
  '100.100.100.200/32',
  '168.63.129.16/32',
  '192.0.0.192/32',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '::/128',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
  'fd00:ec2::/32',
  'fd20:ce::/32',
]);
/** This machine, private networks, and what is not routed on the internet. */
const notPublic = blockList([
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  // Ranges that embed or tunnel another address, and documentation.
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
]);
const globalIpv6 = blockList(['2000::/3']);

/** `never` is refused even where an operator allows private addresses. */
export function classifyAddress(address: string): 'public' | 'private' | 'never' {
  const family = isIPv4(address) ? 'ipv4' : 'ipv6';
  const mapped = family === 'ipv6' ? embeddedIpv4(address) : null;
  if (mapped !== null) {
    return classifyAddress(mapped);
  }
  if (never.check(address, family)) {
    return 'never';
  }
  const isGlobal = family === 'ipv4' || globalIpv6.check(address, family);
  return isGlobal && !notPublic.check(address, family) ? 'public' : 'private';
}

/** Throws ImageError `address_refused`. A host that is an address itself never reaches the look-up, so it is checked here. */
export function refuseAddress(host: string, address: string, privateAllowed: boolean): void {
  const kind = classifyAddress(address);
  if (kind === 'public' || (kind === 'private' && privateAllowed)) {
    return;
  }
  const how =
    kind === 'never'
      ? ''
      : '; PRIVATE_REGISTRIES of the API and the worker names the hosts that may have one';
  const what = kind === 'never' ? 'an address that no registry has' : 'a private address';
  throw new ImageError('address_refused', `${host} has ${what} and is not asked${how}`);
}

/** A look-up for a connection to `host`: fails when any of its addresses is refused. */
export function guardedLookup(
  host: string,
  privateAllowed: boolean,
  resolveName: ResolveName,
): LookupFunction {
  return (hostname, options, callback) => {
    resolveName(hostname)
      .then((addresses) => {
        for (const { address } of addresses) {
          refuseAddress(host, address, privateAllowed);
        }
        const [first] = addresses;
        if (first === undefined) {
          throw new ImageError('registry_unreachable', `${host} has no address`);
        }
        return { addresses, first };
      })
      .then(
        ({ addresses, first }) =>
          options.all === true ? callback(null, addresses) : callback(null, first.address, first.family),
        (error: Error) => callback(error, ''),
      );
  };
}

/** The address inside brackets or as it is; null for a name. */
export function literalAddress(hostname: string): string | null {
  const bare = hostname.replace(/^\[|\]$/g, '');
  return isIP(bare) === 0 ? null : bare;
}

/** The IPv4 address that is reached through an IPv6 one (mapped, or NAT64), as dotted text; null when there is none. */
function embeddedIpv4(address: string): string | null {
  const groups = groupsOf(address);
  const prefix = groups.slice(0, 6).join(':');
  if (prefix !== '0:0:0:0:0:ffff' && prefix !== '64:ff9b:0:0:0:0') {
    return null;
  }
  return groups
    .slice(6)
    .map((group) => Number.parseInt(group, 16))
    .flatMap((part) => [part >> 8, part & 255])
    .join('.');
}

/** The eight groups of an IPv6 address, without leading zeros. */
function groupsOf(address: string): string[] {
  const canonical = new URL(`http://[${address.split('%')[0]}]`).hostname.slice(1, -1);
  const [left = [], right = []] = canonical.split('::').map((half) => half.split(':').filter(Boolean));
  return [...left, ...Array.from({ length: 8 - left.length - right.length }, () => '0'), ...right];
}

function blockList(subnets: readonly string[]): BlockList {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [address = '', prefix] = subnet.split('/');
    list.addSubnet(address, Number(prefix), isIPv4(address) ? 'ipv4' : 'ipv6');
  }
  return list;
}
