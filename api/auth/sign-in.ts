/** The last step of every sign-in method: creates a revocable sign-in and its cookie. */
import type { Context } from 'koa';
import type { ApiConfig } from '../../config/api.ts';
import type { Db } from '../../store/database.ts';
import { createSignIn } from '../../store/sign-ins/sign-ins.ts';
import { setSessionCookie, signInSeconds } from './session-cookie.ts';

export function isSecure(config: Pick<ApiConfig, 'PUBLIC_URL'>): boolean {
  return config.PUBLIC_URL?.startsWith('https:') ?? false;
}

export async function signIn(
  ctx: Context,
  userId: string,
  { db, config }: { db: Db; config: Pick<ApiConfig, 'PUBLIC_URL' | 'COOKIE_KEY'> },
  { isProven }: { isProven: boolean },
): Promise<void> {
  const signInId = await createSignIn(db, userId, signInSeconds, { isProven });
  await setSessionCookie(ctx, config.COOKIE_KEY, { userId, signInId }, { secure: isSecure(config) });
}
