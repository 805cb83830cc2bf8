/** The second look at a passkey's answer, by whoever writes the grant, and against what is stored then. */
import type { ApprovalClaims } from '../../contract/approval.ts';
import type { UsedPasskey } from '../../contract/passkey.ts';
import { grantChallenge, isAnsweredInTime } from '../../contract/passkey-challenge.ts';
import { verifyAssertion } from '../../lib/passkeys/verify.ts';
import type { Transaction } from '../../store/database.ts';
import { needsPasskey } from '../../store/grants/passkey-needs.ts';
import { readClockMs } from '../../store/passkeys/challenges.ts';
import { lockPasskey, recordPasskeyUse } from '../../store/passkeys/passkeys.ts';
import { passkeyRequired } from '../failures.ts';

/**
 * Throws `passkey_required` for a grant that needs a passkey now and was approved without one, and for an
 * answer that is not this grant's, too old, or not of a passkey that its maker has now. Records the use, to
 * be undone with the grant, and returns the passkey; null where none was needed.
 */
export async function usePasskey(trx: Transaction, claims: ApprovalClaims): Promise<UsedPasskey | null> {
  const { grant, passkey: answer } = claims;
  if (answer === null) {
    if (await needsPasskey(trx, grant.workspace_id, grant.details)) {
      throw passkeyRequired('This has to be approved with a passkey, and was not');
    }
    return null;
  }
  const { begun_at: begunAt } = answer;
  if (begunAt === undefined || !isAnsweredInTime(begunAt, await readClockMs(trx))) {
    throw passkeyRequired('The answer of the passkey came too late; approve again');
  }
  const key = { userId: grant.granted_by_user_id, credentialId: answer.credential_id };
  const passkey = await lockPasskey(trx, key);
  const challenge = grantChallenge(grant, begunAt);
  const signCount = passkey === null ? null : await verifyAssertion(answer, { challenge, passkey });
  if (passkey === null || signCount === null) {
    throw passkeyRequired('The answer of the passkey is not valid for this grant; approve again');
  }
  await recordPasskeyUse(trx, passkey.id, signCount);
  return { id: passkey.id, name: passkey.name };
}
