/** The last step of every sign-in method: creates a revocable sign-in and its cookie. */
import type { Context } from 'koa';
import { beginSignIn } from '../../commands/sign-ins/sign-ins.ts';
import type { ApiConfig } from '../../config/api.ts';
import type { Db } from '../../store/database.ts';
import type { NewRenewal } from '../../store/sign-ins/renewals.ts';
import { setSessionCookie, signInSeconds } from './session-cookie.ts';

export function isSecure(config: Pick<ApiConfig, 'PUBLIC_URL'>): boolean {
  return config.PUBLIC_URL?.startsWith('https:') ?? false;
}

export interface SignInHow {
  isProven: boolean;
  /** How long it holds unless it is renewed. */
  lifetimeSeconds?: number;
  /** Null: it is not renewed. */
  renewal?: NewRenewal | null;
}

export async function signIn(
  ctx: Context,
  userId: string,
  { db, config }: { db: Db; config: Pick<ApiConfig, 'PUBLIC_URL' | 'COOKIE_KEY' | 'MASTER_KEYS'> },
  { isProven, lifetimeSeconds = signInSeconds, renewal = null }: SignInHow,
): Promise<void> {
  const begun = { userId, lifetimeSeconds, isProven, renewal };
  const signInId = await beginSignIn(db, config.MASTER_KEYS, begun);
  await setSessionCookie(ctx, config.COOKIE_KEY, { userId, signInId }, { secure: isSecure(config) });
}
