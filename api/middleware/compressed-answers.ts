/**
 * Compresses the JSON of routes that say so. The length of a compressed answer tells whoever can choose a part of
 * it, and sees its length, something of the rest: so only lists in which nothing is shown once or opens anything,
 * and only for requests of our own pages (docs/decisions/0079-compressed-answers.md).
 */
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Context, Next } from 'koa';
import { requestState } from './request-state.ts';

/** What is smaller arrives in one packet in any case. */
const leastBytes = 1024;
/** For answers that are made once: beyond, it takes much longer to have little less. */
const brotliQuality = 4;

const brotli = promisify(brotliCompress);
const zip = promisify(gzip);

/** The smallest first; made in threads of their own, so that no other request waits for it. */
const compressions: Readonly<Record<string, (json: Buffer) => Promise<Buffer>>> = {
  br: (json) => brotli(json, { params: { [constants.BROTLI_PARAM_QUALITY]: brotliQuality } }),
  gzip: (json) => zip(json),
};

/**
 * Outside of `countUnreadAnswers`, which has made the answer bytes and counted them. An answer is left as it is
 * unless the router has marked it (`mayBeCompressed`): streams and failures never are.
 */
export function compressAnswers() {
  return async (ctx: Context, next: Next): Promise<void> => {
    await next();
    if (!requestState(ctx).mayBeCompressed) {
      return;
    }
    ctx.vary('Accept-Encoding');
    ctx.vary('Sec-Fetch-Site');
    const json: unknown = ctx.body;
    const found = Object.entries(compressions).find(([name]) => ctx.acceptsEncodings(name) === name);
    if (found === undefined || !isOwnPage(ctx) || !Buffer.isBuffer(json) || json.length < leastBytes) {
      return;
    }
    const [encoding, compress] = found;
    ctx.body = await compress(json);
    ctx.set('Content-Encoding', encoding);
  };
}

/** As the browser says; what does not say it may be a browser that another site made ask. */
function isOwnPage(ctx: Context): boolean {
  const site = ctx.get('Sec-Fetch-Site');
  return (site === 'same-origin' || site === 'none') && !requestState(ctx).isForeign;
}
