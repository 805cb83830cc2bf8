/** What kind of address a host has. Pure. */
import { BlockList, isIP, isIPv4 } from 'node:net';
import { globalIpv6, neverRanges, specialIpv4Ranges } from './special-ranges.ts';

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
