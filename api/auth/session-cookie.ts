/**
 * The cookie `platform_session`: a signed JWT that names the user and the sign-in; nothing
 * else authenticates a user.
 */
import { jwtVerify, SignJWT } from 'jose';
import type { Context } from 'koa';
import { uuid } from '../../contract/names.ts';

const sessionCookieName = 'platform_session';
export const signInSeconds = 12 * 3600;
/** Keeps this token apart from every other that is signed with the same key. */
const tokenType = 'platform-session+jwt';

export interface SessionClaims {
  userId: string;
  signInId: string;
}

/** Signs the user in on this browser. `secure` when people reach the platform by https. */
export async function setSessionCookie(
  ctx: Context,
  key: Buffer,
  claims: SessionClaims,
  options: { secure: boolean },
): Promise<void> {
  const token = await new SignJWT({ sid: claims.signInId })
    .setProtectedHeader({ alg: 'HS256', typ: tokenType })
    .setSubject(claims.userId)
    .setIssuedAt()
    .setExpirationTime(`${signInSeconds}s`)
    .sign(key);
  setCookie(ctx, sessionCookieName, token, { ...options, path: '/', maxAgeSeconds: signInSeconds });
}

export function clearSessionCookie(ctx: Context, options: { secure: boolean }): void {
  setCookie(ctx, sessionCookieName, null, { ...options, path: '/', maxAgeSeconds: 0 });
}

/**
 * The claims of a cookie that is ours and not expired, or null. Whether the sign-in still
 * holds is in the database.
 */
export async function readSessionCookie(ctx: Context, key: Buffer): Promise<SessionClaims | null> {
  const token = ctx.cookies.get(sessionCookieName);
  if (token === undefined) {
    return null;
  }
  try {
    const { payload } = await jwtVerify(token, key, {
      algorithms: ['HS256'],
      typ: tokenType,
      requiredClaims: ['exp', 'iat'],
    });
    return { userId: uuid.parse(payload.sub), signInId: uuid.parse(payload['sid']) };
  } catch {
    return null;
  }
}

/**
 * HttpOnly and SameSite=Lax always. The proxy that terminates TLS is not visible here, so `secure`
 * comes from the configuration.
 */
export function setCookie(
  ctx: Context,
  name: string,
  value: string | null,
  options: { secure: boolean; path: string; maxAgeSeconds: number },
): void {
  ctx.cookies.secure = options.secure;
  ctx.cookies.set(name, value, {
    httpOnly: true,
    sameSite: 'lax',
    secure: options.secure,
    path: options.path,
    maxAge: options.maxAgeSeconds * 1000,
    overwrite: true,
  });
}
