import { type StoredDecision, withdrawDecision } from '../../commands/decisions/withdraw.ts';
import type { Db } from '../../store/database.ts';
import { ApiError } from '../errors.ts';

/**
 * Has a stored decision carried out, and returns how that ended; null when it was carried out, but nobody
 * said so in time. A decision that nobody carried out in time is withdrawn: then it throws `unavailable`, and
 * whoever decided can do so again.
 */
export async function carryOutOrWithdraw<Outcome>(
  db: Db,
  decision: StoredDecision,
  carryOut: () => Promise<Outcome>,
): Promise<Outcome | null> {
  try {
    return await carryOut();
  } catch (cause) {
    if (!(cause instanceof ApiError && cause.code === 'unavailable')) {
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
