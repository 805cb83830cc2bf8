/** Ranges of IP addresses in the notation `10.0.0.0/8`. */
import { BlockList, isIP } from 'node:net';

interface Range {
  address: string;
  bits: number;
  family: 'ipv4' | 'ipv6';
}

function parseRange(text: string): Range | null {
  const [, address = '', digits = ''] = /^([0-9A-Fa-f.:]+)\/(0|[1-9]\d{0,2})$/.exec(text) ?? [];
  const version = isIP(address);
  const bits = Number(digits);
  return version === 0 || bits > (version === 4 ? 32 : 128)
    ? null
    : { address, bits, family: version === 4 ? 'ipv4' : 'ipv6' };
}

export const isRange = (text: string): boolean => parseRange(text) !== null;

/** Whether every address of `inner` is one of `outer`. False for what is not a range. */
export function rangeContains(outer: string, inner: string): boolean {
  const [wide, narrow] = [parseRange(outer), parseRange(inner)];
  if (wide === null || narrow === null || wide.family !== narrow.family || narrow.bits < wide.bits) {
    return false;
  }
  const addresses = new BlockList();
  addresses.addSubnet(wide.address, wide.bits, wide.family);
  return addresses.check(narrow.address, narrow.family);
}
