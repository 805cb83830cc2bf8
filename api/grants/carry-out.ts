import { type StoredDecision, withdrawDecision } from '../../commands/decisions/withdraw.ts';
import type { Db } from '../../store/database.ts';
import { ApiError } from '../errors.ts';

/**
 * Has a stored decision carried out, and returns how that ended; null when it was carried out, but nobody
 * said so in time. A decision that nobody carried out in time is withdrawn: then it throws `unavailable`, and
 * whoever decided can do so again. So is one that was refused permanently, which it throws as it is: to
 * decide again with the same idempotency key is another decision.
 */
export async function carryOutOrWithdraw<Outcome>(
  db: Db,
  decision: StoredDecision,
  carryOut: () => Promise<Outcome>,
): Promise<Outcome | null> {
  try {
    return await carryOut();
  } catch (cause) {
    const code = cause instanceof ApiError ? cause.code : null;
    if (code === 'conflict' || code === 'passkey_required') {
      await withdrawDecision(db, decision);
    }
    if (code !== 'unavailable') {
      throw cause;
    }
    if (await withdrawDecision(db, decision)) {
      throw new ApiError(
        'unavailable',
        'Nobody could carry this out in time, and it is withdrawn: try again',
        {
          retryAfterSeconds: 5,
          cause,
        },
      );
    }
    return null;
  }
}
