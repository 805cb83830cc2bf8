/** An approval with a passkey: what is to be signed, and whether it was. */
import { randomUUID } from 'node:crypto';
import type { ApprovalClaims } from '../../contract/approval.ts';
import type { GrantInput } from '../../contract/grant.ts';
import {
  type DatedAssertion,
  type PasskeyAnswer,
  type PasskeyChallenge,
  passkeyDomain,
  passkeyPlace,
} from '../../contract/passkey.ts';
import { grantChallenge } from '../../contract/passkey-challenge.ts';
import type { PermissionRequest } from '../../contract/permission-request.ts';
import { verifyAssertion } from '../../lib/passkeys/verify.ts';
import { needsPasskey } from '../../store/grants/passkey-needs.ts';
import {
  type ChallengeKey,
  insertChallenge,
  readChallenge,
  takeChallenge,
} from '../../store/passkeys/challenges.ts';
import { listCredentials, readPasskey } from '../../store/passkeys/passkeys.ts';
import { ApiError } from '../errors.ts';
import type { InWorkspace } from '../route.ts';
import type { SessionRouteDependencies } from '../session-dependencies.ts';
import { newGrant } from './new-grant.ts';

type Dependencies = Pick<SessionRouteDependencies, 'db' | 'config'>;

/** `origin`: of the platform, as this person's browser reaches it; null when it knows none. */
export type Visit = InWorkspace & { origin: string | null };

interface Asked {
  input: GrantInput;
  request: PermissionRequest | null;
}

/** An answer that counts, with the grant that it is for. */
interface Answered {
  grant: ApprovalClaims['grant'];
  assertion: DatedAssertion;
  challenge: ChallengeKey;
}

/** Begins the approval of a grant: its id is that of the challenge, which is the hash of it as it will be. */
export async function beginChallenge(
  { db, config }: Dependencies,
  visit: Visit,
  { input, request }: Asked,
): Promise<PasskeyChallenge> {
  const { origin, credentials } = await requireCredentials(db, visit);
  const id = randomUUID();
  const begun = await insertChallenge(db, { id, userId: visit.user.id, purpose: 'approve' });
  const grant = newGrant(visit, input, { id, request, config, nowMs: Date.parse(begun.created_at) });
  return {
    challenge_id: id,
    challenge: grantChallenge(grant, begun.created_at),
    rp_id: passkeyDomain(origin),
    expires_at: begun.expires_at,
    credentials,
  };
}

/**
 * The answer that came with the input; null where none is needed and none came. Grant and challenge are
 * computed from the input again. Throws 403 `passkey_required` for none, and for one that does
 * not count: its challenge is used up then. One that counts is used up with its decision.
 */
export async function requirePasskey(
  dependencies: Dependencies,
  visit: Visit,
  { input, request }: Asked,
): Promise<Answered | null> {
  const { db } = dependencies;
  if (input.passkey !== undefined) {
    return checkAnswer(dependencies, visit, input.passkey, { input, request });
  }
  if (await needsPasskey(db, visit.workspace.id, input.details)) {
    await requireCredentials(db, visit);
    throw required('This has to be approved with one of your passkeys');
  }
  return null;
}

/** Of an answer that was used for another decision meanwhile. */
export const challengeUsed = () => required(usedUp);

async function checkAnswer(
  dependencies: Dependencies,
  visit: Visit,
  answer: PasskeyAnswer,
  asked: Asked,
): Promise<Answered> {
  const { db } = dependencies;
  const challenge = { id: answer.challenge_id, userId: visit.user.id, purpose: 'approve' } as const;
  const begunAt = await readChallenge(db, challenge);
  const checked =
    begunAt === null ? usedUp : await verify(dependencies, visit, answer, { ...asked, begunAt });
  if (typeof checked === 'string') {
    await takeChallenge(db, challenge);
    throw required(checked);
  }
  return { ...checked, challenge };
}

/** The grant and the answer to it, or why that does not count. */
async function verify(
  { db, config }: Dependencies,
  visit: Visit,
  { challenge_id: id, ...assertion }: PasskeyAnswer,
  { input, request, begunAt }: Asked & { begunAt: string },
): Promise<Pick<Answered, 'grant' | 'assertion'> | string> {
  const key = { userId: visit.user.id, credentialId: assertion.credential_id };
  const passkey = await readPasskey(db, key);
  if (passkey === null || passkey.origin !== visit.origin) {
    return 'This is no passkey of yours at this address, or it was removed: approve with one that you registered here';
  }
  const grant = newGrant(visit, input, { id, request, config, nowMs: Date.parse(begunAt) });
  const challenge = grantChallenge(grant, begunAt);
  const signed = await verifyAssertion(assertion, { challenge, passkey });
  return signed === null
    ? 'The answer of the passkey is not valid for what would be approved: approve again'
    : { grant, assertion: { ...assertion, begun_at: begunAt } };
}

const usedUp = 'This challenge of a passkey has expired or was already used: approve again';

/** Throws 403 `passkey_required` with what to do where the person cannot use one here. */
async function requireCredentials(db: Dependencies['db'], { user, origin: reached }: Visit) {
  const place = passkeyPlace(reached);
  if ('reason' in place) {
    throw required(`This has to be approved with a passkey. ${place.reason}`);
  }
  const { origin } = place;
  const credentials = await listCredentials(db, { userId: user.id, origin });
  if (credentials.length === 0) {
    throw required(
      'This has to be approved with a passkey, and you have none for this address: register one under Your passkeys, in the menu with your name',
    );
  }
  return { origin, credentials };
}

const required = (message: string) => new ApiError('passkey_required', message);
