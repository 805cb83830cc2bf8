/** Beginning and ending sign-ins that the provider may be asked to renew. */
import { type Db, inTransaction } from '../../store/database.ts';
import type { MasterKeys } from '../../store/secrets/envelope.ts';
import { insertRenewal, type NewRenewal, refuseRenewal } from '../../store/sign-ins/renewals.ts';
import { createSignIn } from '../../store/sign-ins/sign-ins.ts';

interface NewSignIn {
  userId: string;
  lifetimeSeconds: number;
  isProven: boolean;
  /** Null: it is not renewed. */
  renewal: NewRenewal | null;
}

/** Returns the id of a sign-in, whose refresh token is kept sealed with it, or not at all. */
export function beginSignIn(
  db: Db,
  masterKeys: MasterKeys,
  { userId, lifetimeSeconds, isProven, renewal }: NewSignIn,
): Promise<string> {
  return inTransaction(db, async (trx) => {
    const signInId = await createSignIn(trx, userId, lifetimeSeconds, { isProven });
    if (renewal !== null) {
      await insertRenewal(trx, masterKeys, { signInId, ...renewal });
    }
    return signInId;
  });
}

/** Ends a sign-in that is not renewed. `counts`: the provider said so of the person. */
export function endUnrenewedSignIn(db: Db, signInId: string, how: { counts: boolean }): Promise<void> {
  return inTransaction(db, (trx) => refuseRenewal(trx, signInId, how));
}
