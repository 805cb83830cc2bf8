/** The web UI below `/app/`, under a Content-Security-Policy of its own. */
import { randomBytes } from 'node:crypto';
import type { Context, Next } from 'koa';
import { ApiError } from '../errors.ts';
import { requestState } from '../middleware/request-state.ts';
import { assetsFolder, type WebFile, type WebFiles } from './load-web-files.ts';

const base = '/app/';
const yearSeconds = 365 * 24 * 3600;
/** The smallest first. */
const compressedForms = ['br', 'gzip'] as const;

/**
 * `/` and `/app` redirect to the UI; every path below `/app/` that is not a file serves the page,
 * except below `_assets/`.
 */
export function serveWebFiles(web: WebFiles) {
  return async (ctx: Context, next: Next): Promise<void> => {
    const isEntrance = ctx.path === '/' || ctx.path === '/app';
    if (!isEntrance && !ctx.path.startsWith(base)) {
      return next();
    }
    requestState(ctx).route = isEntrance ? '/' : base;
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') {
      ctx.set('Allow', 'GET, HEAD');
      throw new ApiError('method_not_allowed', 'The web UI is only read');
    }
    if (isEntrance) {
      ctx.redirect(base);
      return;
    }
    const path = ctx.path.slice(base.length);
    const file = web.files.get(path);
    if (file !== undefined) {
      answerFile(ctx, file);
    } else if (path.startsWith(assetsFolder)) {
      throw new ApiError('not_found', 'There is no such file');
    } else {
      answerPage(ctx, web);
    }
  };
}

function answerFile(ctx: Context, file: WebFile): void {
  ctx.set('Cache-Control', file.immutable ? `public, max-age=${yearSeconds}, immutable` : 'no-cache');
  ctx.vary('Accept-Encoding');
  ctx.type = file.contentType;
  // Browsers name gzip first, with no wish: it is the smallest that is sent.
  const [encoding, content] =
    compressedForms
      .map((name) => [name, file[name]] as const)
      .find(([name, of]) => of !== null && ctx.acceptsEncodings(name) === name) ?? [];
  if (encoding !== undefined) {
    ctx.set('Content-Encoding', encoding);
  }
  ctx.body = content ?? file.content;
}

function answerPage(ctx: Context, { page: [before, after], inlineScripts }: WebFiles): void {
  const nonce = randomBytes(16).toString('base64');
  ctx.set('Content-Security-Policy', policy(nonce, inlineScripts));
  ctx.set('Cross-Origin-Opener-Policy', 'same-origin');
  ctx.set('X-Frame-Options', 'DENY');
  ctx.type = 'text/html; charset=utf-8';
  ctx.body = before + nonce + after;
}

/**
 * Only our own files run, and the inline scripts of our own page. Style elements that the component library
 * adds carry the nonce; text never becomes a script.
 */
function policy(nonce: string, inlineScripts: readonly string[]): string {
  return [
    "default-src 'none'",
    ["script-src 'self'", ...inlineScripts].join(' '),
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "connect-src 'self'",
    "font-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types default',
  ].join('; ');
}
