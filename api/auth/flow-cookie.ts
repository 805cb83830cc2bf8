/**
 * The cookie that ties a sign-in's callback to the browser that began it: one for each sign-in,
 * short-lived, encrypted, used once.
 */
import { createHash } from 'node:crypto';
import { EncryptJWT, jwtDecrypt } from 'jose';
import type { Context } from 'koa';
import * as z from 'zod';
import type { SignInFlow } from './oidc.ts';
import { setCookie } from './session-cookie.ts';

const prefix = 'platform_sign_in_';
/** A browser may have this many begun, in tabs of their own; the oldest give way. */
const mostFlows = 5;
/**
 * Of all of them together: they are sent with every request to `path`, and servers bound
 * the headers of a request.
 */
const mostFlowBytes = 8000;
const path = '/api/auth';
const flowSeconds = 600;
const tokenType = 'platform-sign-in+jwt';
const flowClaims = z.object({
  state: z.string(),
  nonce: z.string(),
  codeVerifier: z.string(),
  returnTo: z.string(),
  asksAgainSince: z.int().nullable().default(null),
});
/** Encrypted, not only signed: it holds the PKCE verifier. */
const algorithms = { alg: 'dir', enc: 'A256GCM' } as const;

export async function setFlowCookie(
  ctx: Context,
  key: Buffer,
  flow: SignInFlow,
  options: { secure: boolean },
): Promise<void> {
  const token = await new EncryptJWT({ ...flow })
    .setProtectedHeader({ ...algorithms, typ: tokenType })
    .setIssuedAt()
    .setExpirationTime(`${flowSeconds}s`)
    .encrypt(key);
  const begun = flowCookies(ctx);
  let bytes = token.length;
  for (const [at, { name, value }] of begun.entries()) {
    bytes += value.length;
    if (at + 1 >= mostFlows || bytes > mostFlowBytes) {
      remove(ctx, name, options);
    }
  }
  const name = `${prefix}${Date.now().toString(36).padStart(9, '0')}_${idOf(flow.state)}`;
  setCookie(ctx, name, token, { ...options, path, maxAgeSeconds: flowSeconds });
}

/**
 * Returns the flow with this state that this browser began, or null; removes its cookie, so that
 * it can be used once only.
 */
export async function takeFlowCookie(
  ctx: Context,
  key: Buffer,
  state: string,
  options: { secure: boolean },
): Promise<SignInFlow | null> {
  const cookie = flowCookies(ctx).find(({ name }) => name.endsWith(`_${idOf(state)}`));
  if (cookie === undefined) {
    return null;
  }
  remove(ctx, cookie.name, options);
  try {
    const { payload } = await jwtDecrypt(cookie.value, key, { typ: tokenType, requiredClaims: ['exp'] });
    return flowClaims.parse(payload);
  } catch {
    return null;
  }
}

/** Part of a cookie's name, which says nothing of the state. */
const idOf = (state: string): string => createHash('sha256').update(state).digest('base64url').slice(0, 16);

/** Those that the browser sent, the newest first: their names begin with the time. */
function flowCookies(ctx: Context): { name: string; value: string }[] {
  const pairs = ctx.get('cookie').matchAll(/(?:^|;\s*)(?<name>platform_sign_in_[\w-]+)=(?<value>[\w.-]+)/g);
  return [...pairs]
    .map(({ groups }) => ({ name: groups?.['name'] ?? '', value: groups?.['value'] ?? '' }))
    .toSorted((a, b) => (a.name < b.name ? 1 : -1));
}

const remove = (ctx: Context, name: string, options: { secure: boolean }): void =>
  setCookie(ctx, name, null, { ...options, path, maxAgeSeconds: 0 });
