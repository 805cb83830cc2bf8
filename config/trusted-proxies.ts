/** Which proxies in front of the API are trusted to name the client address (`X-Forwarded-For`). */
import { isIP } from 'node:net';
import * as z from 'zod';
import { isRange } from './address-range.ts';

/** The number of proxies in front, or their addresses. With 0 hops none is trusted. */
export type TrustedProxies = { hops: number } | { ranges: string[] };

const maxHops = 10;
const rule = `must be true, false, the number of proxies in front (up to ${maxHops}), or their addresses and ranges such as 10.0.0.0/8,192.0.2.7`;

/** `true` is one proxy. An address without a prefix length is a range of one. */
export const trustedProxies = z
  .string()
  .default('false')
  .transform((text, context): TrustedProxies => {
    if (text === 'true' || text === 'false') {
      return { hops: text === 'true' ? 1 : 0 };
    }
    if (/^\d{1,2}$/.test(text) && Number(text) <= maxHops) {
      return { hops: Number(text) };
    }
    const ranges = text.split(',').map((item) => asRange(item.trim()));
    if (!ranges.every(isRange)) {
      context.addIssue({ code: 'custom', message: rule });
      return z.NEVER;
    }
    return { ranges };
  });

function asRange(item: string): string {
  const version = isIP(item);
  return version === 0 ? item : `${item}/${version === 4 ? 32 : 128}`;
}
