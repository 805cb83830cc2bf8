/**
 * Which addresses are not the internet: this machine and its neighbours, private networks, metadata services
 * of clouds, and what is not routed; and what kind of address a host has therefore. Pure. One list for all:
 * the guard of outbound requests, the network policies of Pods, the routes of process sandboxes, and the
 * network policy of containers, whose `relay/static/special-ranges.h` is made from it (`npm run docs`).
 */
import { BlockList, isIP, isIPv4 } from 'node:net';

/**
 * Closed for sessions unless the operator opened them. In the order in which the network policy closes them:
 * those that the relay probes before it runs a command come last, so that all are closed when these are.
 */
export const specialIpv4Ranges = [
  '0.0.0.0/8',
  '127.0.0.0/8',
  // A cloud's own service at a public address.
  '168.63.129.16/32',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '100.64.0.0/10',
  '169.254.0.0/16',
] as const;

/**
 * All of IPv6 that is routed on the internet, and the parts of it that embed another address, are
 * documentation or unused.
 */
export const globalIpv6 = {
  range: '2000::/3',
  except: ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'],
} as const;

/**
 * Of these, what no host has that anybody may name: link-local, metadata services, unspecified and
 * multicast. No setting allows them.
 */
export const neverRanges = [
  '0.0.0.0/8',
  '100.100.100.200/32',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '192.0.0.192/32',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '::/128',
  'fd00:42::42/128',
  'fd00:a9fe:a9fe::1/128',
  'fd00:ec2::/32',
  'fd20:ce::/32',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
] as const;

const never = blockList(neverRanges);
const specialIpv4 = blockList(specialIpv4Ranges);
const globalOfIpv6 = blockList([globalIpv6.range]);
const exceptOfIpv6 = blockList(globalIpv6.except);

/**
 * `private` is connected to where the operator allows it, `never` not even there. IPv4 written as
 * IPv6 counts as what it is.
 */
export function classifyAddress(address: string): 'public' | 'private' | 'never' {
  const family = isIPv4(address) ? 'ipv4' : 'ipv6';
  const embedded = family === 'ipv6' ? embeddedIpv4(address) : null;
  if (embedded !== null) {
    return classifyAddress(embedded);
  }
  const led = family === 'ipv6' ? ledIpv4(address) : null;
  if (never.check(address, family) || (led !== null && never.check(led, 'ipv4'))) {
    return 'never';
  }
  const isPublic =
    family === 'ipv4'
      ? !specialIpv4.check(address, family)
      : globalOfIpv6.check(address, family) && !exceptOfIpv6.check(address, family);
  return isPublic ? 'public' : 'private';
}

/** The address inside brackets or as it is; null for a name. */
export function literalAddress(hostname: string): string | null {
  const bare = hostname.replace(/^\[|\]$/g, '');
  return isIP(bare) === 0 ? null : bare;
}

/**
 * The IPv4 address that is reached through an IPv6 one (mapped, or NAT64), as dotted text;
 * null when there is none.
 */
function embeddedIpv4(address: string): string | null {
  const groups = groupsOf(address);
  const prefix = groups.slice(0, 6).join(':');
  return prefix === '0:0:0:0:0:ffff' || prefix === '64:ff9b:0:0:0:0' ? dotted(groups.slice(6)) : null;
}

/**
 * The IPv4 address that some networks make of an IPv6 one that is private here (compatible, translated, NAT64
 * of a network's own, 6to4).
 */
function ledIpv4(address: string): string | null {
  const groups = groupsOf(address);
  if (groups[0] === '2002') {
    return dotted(groups.slice(1, 3));
  }
  const prefix = groups.slice(0, 6).join(':');
  // `::1` and its like are no IPv4 addresses.
  const isCompatible = prefix === '0:0:0:0:0:0' && groups[6] !== '0';
  const isTranslated = prefix === '0:0:0:0:ffff:0' || prefix.startsWith('64:ff9b:1:');
  return isCompatible || isTranslated ? dotted(groups.slice(6)) : null;
}

const dotted = (groups: readonly string[]): string =>
  groups
    .map((group) => Number.parseInt(group, 16))
    .flatMap((part) => [part >> 8, part & 255])
    .join('.');

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
