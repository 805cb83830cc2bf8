/**
 * Checks the addresses of a host. The check is made on the address that is connected to, inside the
 * connection's own look-up, which defeats DNS rebinding between check and use.
 */
import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { OutboundError } from './errors.ts';
import { allowsPrivate, type OutboundPolicy } from './policy.ts';
import { classifyAddress } from './special-ranges.ts';

/**
 * Resolves a name to all its addresses (`resolve-names.ts` outside of tests), for a workspace where one is
 * named. Ends with the signal where it can.
 */
export type ResolveName = (
  hostname: string,
  signal?: AbortSignal,
  workspaceId?: string | null,
) => Promise<LookupAddress[]>;

/**
 * Throws OutboundError `address_refused`. A host that is an address itself never reaches the look-up, so
 * it is checked with this.
 */
export function refuseAddress(policy: OutboundPolicy, url: URL, address: string): void {
  const kind = classifyAddress(address);
  if (kind === 'public' || (kind === 'private' && allowsPrivate(policy, url))) {
    return;
  }
  const why =
    kind === 'never'
      ? 'an address that is never connected to'
      : `a private address and is not asked; ${policy.setting} names the hosts that may have one`;
  throw new OutboundError('address_refused', `${url.host} has ${why}`);
}

/** A look-up for a connection to the host of `url`: fails when any of its addresses is refused. */
export function guardedLookup(policy: OutboundPolicy, url: URL, resolveName: ResolveName): LookupFunction {
  return (hostname, options, callback) => {
    resolveName(hostname)
      .then((addresses) => {
        for (const { address } of addresses) {
          refuseAddress(policy, url, address);
        }
        const [first] = addresses;
        if (first === undefined) {
          throw new OutboundError('unreachable', `${url.host} has no address`);
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
