/**
 * What a sign-in is renewed with: the provider's refresh token, sealed like a secret and bound to that
 * sign-in. Of a person whom a rule made a member the last one outlives the sign-in, so that they lose their
 * roles with their groups although they are not there.
 */
import * as z from 'zod';
import { uuid } from '../../contract/names.ts';
import type { Db, Transaction } from '../database.ts';
import { readRows } from '../read-rows.ts';
import { type MasterKeys, openText, type SecretIdentity, seal } from '../secrets/envelope.ts';

/** No workspace has it, and no secret such a name. */
const identityOf = (signInId: string): SecretIdentity => ({
  workspaceId: signInId,
  name: 'sign-in/refresh-token',
});

function sealedColumns(keys: MasterKeys, signInId: string, refreshToken: string) {
  const plaintext = Buffer.from(refreshToken);
  try {
    const sealed = seal(keys, identityOf(signInId), plaintext);
    return { sealed_value: sealed.sealedValue, sealed_data_key: sealed.sealedDataKey, key_id: sealed.keyId };
  } finally {
    plaintext.fill(0);
  }
}

/** Keeps what a new sign-in is renewed with, the first time after so many seconds. */
export async function insertRenewal(
  db: Db,
  keys: MasterKeys,
  { signInId, refreshToken, seconds }: { signInId: string; refreshToken: string; seconds: number },
): Promise<void> {
  await db('sign_in_renewals').insert({
    sign_in_id: signInId,
    ...sealedColumns(keys, signInId, refreshToken),
    renew_at: db.raw('now() + make_interval(secs => ?)', [seconds]),
  });
}

const due = z.object({
  sign_in_id: uuid,
  user_id: uuid,
  subject: z.string(),
  sealed_value: z.instanceof(Buffer),
  sealed_data_key: z.instanceof(Buffer),
  key_id: z.string(),
});

/** A renewal that the caller alone makes for now; `open` returns the refresh token. */
export interface DueRenewal {
  signInId: string;
  userId: string;
  subject: string;
  /** Throws UnreadableSecretError. */
  open(): string;
}

/**
 * Takes renewals that are due: nobody else gets them within `leaseSeconds`, or `seconds` where the sign-in
 * has ended, after which they are due again unless they were settled. However many ask at once, each is taken
 * by one.
 */
export async function takeDueRenewals(
  db: Db,
  keys: MasterKeys,
  { limit, leaseSeconds, seconds }: { limit: number; leaseSeconds: number; seconds: number },
): Promise<DueRenewal[]> {
  const query = db.raw(
    `with due as (
       select r.sign_in_id, s.user_id, u.subject, s.revoked_at is null and s.expires_at > now() as holds
       from sign_in_renewals r join sign_ins s on s.id = r.sign_in_id join users u on u.id = s.user_id
       where r.refused_at is null and r.renew_at <= now()
       order by r.renew_at limit :limit for update of r skip locked)
     update sign_in_renewals r
     set renew_at = now() + interval '1 second'
       * case when due.holds then cast(:leaseSeconds as int) else cast(:seconds as int) end
     from due where r.sign_in_id = due.sign_in_id
     returning r.sign_in_id, due.user_id, due.subject, r.sealed_value, r.sealed_data_key, r.key_id`,
    { limit, leaseSeconds, seconds },
  );
  const rows = await readRows(query, due);
  return rows.map((row) => ({
    signInId: row.sign_in_id,
    userId: row.user_id,
    subject: row.subject,
    open: () =>
      openText(keys, identityOf(row.sign_in_id), {
        sealedValue: row.sealed_value,
        sealedDataKey: row.sealed_data_key,
        keyId: row.key_id,
      }),
  }));
}

/** Keeps the refresh token that the provider gave in exchange for the one before. */
export async function replaceRefreshToken(
  db: Db,
  keys: MasterKeys,
  { signInId, refreshToken }: { signInId: string; refreshToken: string },
): Promise<void> {
  await db('sign_in_renewals')
    .where({ sign_in_id: signInId, refused_at: null })
    .update(sealedColumns(keys, signInId, refreshToken));
}

/**
 * The sign-in holds for `validSeconds` from now, and never longer than `longestSeconds` from its beginning;
 * its person is asked about again after `seconds`. One that has ended stays so.
 */
export async function extendSignIn(
  trx: Transaction,
  signInId: string,
  {
    seconds,
    validSeconds,
    longestSeconds,
  }: { seconds: number; validSeconds: number; longestSeconds: number },
): Promise<void> {
  await trx('sign_ins')
    .where({ id: signInId, revoked_at: null })
    .where('expires_at', '>', trx.fn.now())
    .update({
      expires_at: trx.raw('least(now() + make_interval(secs => ?), created_at + make_interval(secs => ?))', [
        validSeconds,
        longestSeconds,
      ]),
    });
  await trx('sign_in_renewals')
    .where({ sign_in_id: signInId })
    .update({ renew_at: trx.raw('now() + make_interval(secs => ?)', [seconds]) });
}

/** The provider no longer vouches for the person: ends the sign-in and erases its refresh token. */
export async function refuseRenewal(trx: Transaction, signInId: string): Promise<void> {
  await trx('sign_ins').where({ id: signInId, revoked_at: null }).update({ revoked_at: trx.fn.now() });
  await trx('sign_in_renewals')
    .where({ sign_in_id: signInId })
    .update({ sealed_value: null, sealed_data_key: null, key_id: null, refused_at: trx.fn.now() });
}

/** Whether this sign-in ended because the provider refused to renew it. */
export async function wasRenewalRefused(db: Db, signInId: string): Promise<boolean> {
  const found = await db('sign_in_renewals')
    .where({ sign_in_id: signInId })
    .whereNotNull('refused_at')
    .first('sign_in_id');
  return found !== undefined;
}

/**
 * Removes what sign-ins that have ended were renewed with: of people of whom a later one is kept, or whom no
 * rule made a member; and, after `longestSeconds`, refusals of which no cookie is left to ask.
 */
export async function removeEndedRenewals(db: Db, longestSeconds: number): Promise<void> {
  await db.raw(
    `delete from sign_in_renewals r using sign_ins s where s.id = r.sign_in_id
       and (s.revoked_at is not null or s.expires_at <= now())
       and case when r.refused_at is not null
         then s.created_at < now() - make_interval(secs => :longestSeconds)
         else not exists (select from members m where m.user_id = s.user_id and m.by_rule)
           or exists (select from sign_in_renewals later join sign_ins l on l.id = later.sign_in_id
             where l.user_id = s.user_id and l.created_at > s.created_at and later.refused_at is null) end`,
    { longestSeconds },
  );
}

/** Erases what other keys sealed: those people sign in again when it would have been due. */
export async function eraseRenewalsOfOtherKeys(db: Db, keyId: string): Promise<number> {
  return db('sign_in_renewals').whereNot('key_id', keyId).delete();
}
