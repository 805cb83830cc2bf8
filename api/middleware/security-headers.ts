/** Headers of every answer: nothing is cached, framed, sniffed or leaked by a referrer. */
import type { Context, Next } from 'koa';

export async function setSecurityHeaders(ctx: Context, next: Next): Promise<void> {
  ctx.set({
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Resource-Policy': 'same-origin',
  });
  await next();
}
