/**
 * Shares concurrent DNS lookups: one that waits for a silent name server holds one of the few threads
 * that the spool writes with.
 */
import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';

const lookUpAll = (hostname: string) => lookup(hostname, { all: true });

/**
 * For `http.request` and its agents: callers share a lookup in progress for the same name. Nothing is cached.
 */
export function shareLookups(
  lookUp: (hostname: string) => Promise<LookupAddress[]> = lookUpAll,
): LookupFunction {
  const underWay = new Map<string, Promise<LookupAddress[]>>();
  const shared = (hostname: string) => {
    const found = underWay.get(hostname) ?? lookUp(hostname).finally(() => void underWay.delete(hostname));
    underWay.set(hostname, found);
    return found;
  };
  return (hostname, { all }, callback) => {
    shared(hostname).then(
      (addresses) => {
        const [first] = addresses;
        callback(null, all ? addresses : (first?.address ?? ''), first?.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, ''),
    );
  };
}
