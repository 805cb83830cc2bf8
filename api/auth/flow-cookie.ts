/** The cookie that ties a sign-in's callback to the browser that began it: short-lived, signed, used once. */
import { EncryptJWT, jwtDecrypt } from 'jose';
import type { Context } from 'koa';
import * as z from 'zod';
import type { SignInFlow } from './oidc.ts';
import { setCookie } from './session-cookie.ts';

const name = 'platform_sign_in';
const path = '/api/auth';
const flowSeconds = 600;
const tokenType = 'platform-sign-in+jwt';
const flowClaims = z.object({
  state: z.string(),
  nonce: z.string(),
  codeVerifier: z.string(),
  returnTo: z.string(),
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
  setCookie(ctx, name, token, { ...options, path, maxAgeSeconds: flowSeconds });
}

/** Returns the flow that this browser began, or null; removes the cookie, so that it can be used once only. */
export async function takeFlowCookie(
  ctx: Context,
  key: Buffer,
  options: { secure: boolean },
): Promise<SignInFlow | null> {
  const token = ctx.cookies.get(name);
  setCookie(ctx, name, null, { ...options, path, maxAgeSeconds: 0 });
  if (token === undefined) {
    return null;
  }
  try {
    const { payload } = await jwtDecrypt(token, key, { typ: tokenType, requiredClaims: ['exp'] });
    return flowClaims.parse(payload);
  } catch {
    return null;
  }
}
