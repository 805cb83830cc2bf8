import { type Db, inTransaction } from '../../store/database.ts';
import { insertDecision } from '../../store/decisions/decisions.ts';
import { type ChallengeKey, takeChallenge } from '../../store/passkeys/challenges.ts';

/**
 * Records an approval, and uses up the challenge that a passkey answered for it: one answer leads to one
 * decision. `used`: another request took the challenge. `known`: the person's key has a decision already.
 */
export function recordApproval(
  db: Db,
  challenge: ChallengeKey | null,
  decision: Parameters<typeof insertDecision>[1],
): Promise<'stored' | 'known' | 'used'> {
  return inTransaction(db, async (trx) => {
    if (challenge !== null && (await takeChallenge(trx, challenge)) === null) {
      return 'used';
    }
    return (await insertDecision(trx, decision)) ? 'stored' : 'known';
  });
}
