/**
 * Determines the client address of a request: the first one, from here outwards, that is not a trusted proxy.
 */
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import type { Context, Next } from 'koa';
import type { TrustedProxies } from '../../config/trusted-proxies.ts';

type Request = Pick<IncomingMessage, 'headers'> & { socket: { remoteAddress?: string | undefined } };
type Trusts = (address: string, hop: number) => boolean;

/** Sets `ctx.ip`. `X-Forwarded-For` counts only as far as trusted proxies wrote it. */
export function setClientAddress(proxies: TrustedProxies) {
  const addressOf = createClientAddress(proxies);
  return async (ctx: Context, next: Next): Promise<void> => {
    ctx.request.ip = addressOf(ctx.req);
    await next();
  };
}

/**
 * Each proxy appends the address that it was called from, so the header is read from its end, and only while
 * what is read was written by a trusted proxy. An entry that is not an address is ignored: the address of the
 * proxy that wrote it is used.
 */
export function createClientAddress(proxies: TrustedProxies): (request: Request) => string {
  const trusts = trustOf(proxies);
  return ({ headers, socket }) => {
    const forwarded = [headers['x-forwarded-for'] ?? []].flat().join(',').split(',');
    let address = plain(socket.remoteAddress ?? '');
    for (let hop = 0; trusts(address, hop); hop += 1) {
      const before = plain(forwarded.pop()?.trim() ?? '');
      if (isIP(before) === 0) {
        break;
      }
      address = before;
    }
    return address;
  };
}

function trustOf(proxies: TrustedProxies): Trusts {
  if ('hops' in proxies) {
    return (_address, hop) => hop < proxies.hops;
  }
  const addresses = new BlockList();
  for (const range of proxies.ranges) {
    const [address = '', bits] = range.split('/');
    addresses.addSubnet(address, Number(bits), family(address));
  }
  return (address) => isIP(address) !== 0 && addresses.check(address, family(address));
}

const family = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

/** An IPv4 address that a listener for both families sees as `::ffff:10.0.0.1` is the IPv4 address. */
function plain(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  return mapped !== undefined && isIP(mapped) === 4 ? mapped : address;
}
