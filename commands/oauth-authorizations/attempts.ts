import { createHash } from 'node:crypto';
import { type Db, inTransaction } from '../../store/database.ts';
import {
  type NewAttempt,
  startAttempt,
  type TakenAttempt,
  takeAttempt,
} from '../../store/oauth-authorizations/change.ts';
import type { AuthorizationRow } from '../../store/oauth-authorizations/row.ts';
import type { MasterKeys } from '../../store/secrets/envelope.ts';
import type { BoundTo } from '../oauth-connections/binding.ts';

/** Time that a person has at the authorization server. */
const attemptLifetimeSeconds = 600;

export interface BegunAttempt extends Pick<NewAttempt, 'signInId' | 'codeVerifier'> {
  state: string;
  bound: BoundTo;
}

/** Stores a try with the hash of its state; an earlier one does not count any more. False when nobody waits for it now, or for other scopes. */
export function storeAttempt(
  db: Db,
  keys: MasterKeys,
  authorization: Pick<AuthorizationRow, 'id' | 'workspace_id' | 'scopes'>,
  { state, bound, signInId, codeVerifier }: BegunAttempt,
): Promise<boolean> {
  return inTransaction(db, (trx) =>
    startAttempt(trx, keys, authorization, {
      ...bound,
      stateHash: hashOf(state),
      signInId,
      lifetimeSeconds: attemptLifetimeSeconds,
      codeVerifier,
    }),
  );
}

/** The try that this state belongs to, once; as `takeAttempt` of the store. */
export function consumeAttempt(
  db: Db,
  keys: MasterKeys,
  { state, ...answered }: { state: string; signInId: string; registrationId: string },
): Promise<TakenAttempt | null> {
  return inTransaction(db, (trx) => takeAttempt(trx, keys, { ...answered, stateHash: hashOf(state) }));
}

const hashOf = (state: string): Buffer => createHash('sha256').update(state).digest();
