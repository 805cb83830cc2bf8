/** Some changes are made shortly after a person proved who they are: a cookie does not show that. */
import { freshSignInSeconds } from '../../contract/passkey.ts';
import type { Db } from '../../store/database.ts';
import { isFreshSignIn } from '../../store/sign-ins/sign-ins.ts';
import { ApiError } from '../errors.ts';
import type { SignedIn } from '../route.ts';

/**
 * Throws 403 `sign_in_again` unless the person proved who they are as they signed in on this browser, a short
 * time ago: a cookie that somebody took later, or a sign-in at which their provider asked for nothing,
 * changes none of what stands between an agent and an approval.
 */
export async function requireFreshSignIn(db: Db, { signInId }: Pick<SignedIn, 'signInId'>): Promise<void> {
  if (!(await isFreshSignIn(db, signInId, freshSignInSeconds))) {
    throw new ApiError(
      'sign_in_again',
      `This is possible within ${freshSignInSeconds / 60} minutes of proving who you are: sign in again, and repeat it`,
    );
  }
}
