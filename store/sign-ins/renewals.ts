/**
 * What a sign-in is renewed with: the provider's refresh token, sealed like a secret and bound to that
 * sign-in. Of a person whom a rule made a member the last one outlives the sign-in, so that they lose their
 * roles with their groups although they are not there; and so does a refusal.
 */

import * as z from 'zod';
import { uuid } from '../../contract/names.ts';
import { type User, user } from '../../contract/workspace.ts';
import { type Db, inTransaction, type Transaction } from '../database.ts';
import { readRows } from '../read-rows.ts';
import {
  type MasterKeys,
  openText,
  type SecretIdentity,
  seal,
  UnreadableSecretError,
} from '../secrets/envelope.ts';
import { columnsOf, sealedOf } from '../secrets/sealed-columns.ts';

/** Whose tokens they are: the provider as it is configured, and the platform's client there. */
export interface RenewalClient {
  issuer: string;
  clientId: string;
}

/** No workspace has it, and no secret such a name. */
const identityOf = (signInId: string): SecretIdentity => ({
  workspaceId: signInId,
  name: 'sign-in/refresh-token',
});

function sealedColumns(keys: MasterKeys, signInId: string, refreshToken: string) {
  const plaintext = Buffer.from(refreshToken);
  try {
    return columnsOf(seal(keys, identityOf(signInId), plaintext));
  } finally {
    plaintext.fill(0);
  }
}

export interface NewRenewal {
  refreshToken: string;
  seconds: number;
  subject: string;
  client: RenewalClient;
}

/** Keeps what a new sign-in is renewed with, the first time after so many seconds. */
export async function insertRenewal(
  db: Db,
  keys: MasterKeys,
  { signInId, refreshToken, seconds, subject, client }: NewRenewal & { signInId: string },
): Promise<void> {
  await db('sign_in_renewals').insert({
    sign_in_id: signInId,
    issuer: client.issuer,
    client_id: client.clientId,
    subject,
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

const sealedRow = due.pick({ sign_in_id: true, sealed_value: true, sealed_data_key: true, key_id: true });

/** A renewal that the caller alone makes for now; `open` returns the refresh token. */
export interface DueRenewal {
  signInId: string;
  userId: string;
  subject: string;
  /** Throws UnreadableSecretError. */
  open(): string;
}

/**
 * Takes renewals of this client and of people whose subject is the same, that are due: nobody else gets them
 * within `leaseSeconds`, or `seconds` where the sign-in has ended, after which they are due again unless they
 * were settled. However many ask at once, each is taken by one.
 */
export async function takeDueRenewals(
  db: Db,
  keys: MasterKeys,
  {
    client,
    limit,
    leaseSeconds,
    seconds,
  }: { client: RenewalClient; limit: number; leaseSeconds: number; seconds: number },
): Promise<DueRenewal[]> {
  const query = db.raw(
    `with due as (
       select r.sign_in_id, s.user_id, u.subject, s.revoked_at is null and s.expires_at > now() as holds
       from sign_in_renewals r join sign_ins s on s.id = r.sign_in_id join users u on u.id = s.user_id
       where r.refused_at is null and r.renew_at <= now() and r.subject = u.subject
         and r.issuer = :issuer and r.client_id = :clientId
       order by r.renew_at limit :limit for update of r skip locked)
     update sign_in_renewals r
     set renew_at = now() + interval '1 second'
       * case when due.holds then cast(:leaseSeconds as int) else cast(:seconds as int) end
     from due where r.sign_in_id = due.sign_in_id
     returning r.sign_in_id, due.user_id, due.subject, r.sealed_value, r.sealed_data_key, r.key_id`,
    { ...client, limit, leaseSeconds, seconds },
  );
  const rows = await readRows(query, due);
  return rows.map((row) => ({
    signInId: row.sign_in_id,
    userId: row.user_id,
    subject: row.subject,
    open: () => openRow(keys, row),
  }));
}

/** Throws UnreadableSecretError. */
const openRow = (keys: MasterKeys, row: z.infer<typeof sealedRow>): string =>
  openText(keys, identityOf(row.sign_in_id), sealedOf(row));

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

/** Ends the sign-in and erases its refresh token. `counts`: because the provider refused it. */
export async function refuseRenewal(
  trx: Transaction,
  signInId: string,
  { counts }: { counts: boolean },
): Promise<void> {
  await trx('sign_ins').where({ id: signInId, revoked_at: null }).update({ revoked_at: trx.fn.now() });
  await trx('sign_in_renewals')
    .where({ sign_in_id: signInId })
    .update({
      ...{ sealed_value: null, sealed_data_key: null, key_id: null },
      ...{ refused_at: trx.fn.now(), refusal_counts: counts },
    });
}

/** Members by a rule whom the provider refused longer ago than this, and of whom no renewal is left. */
export async function listLongRefused(db: Db, refusedSeconds: number): Promise<Pick<User, 'id' | 'email'>[]> {
  const query = db.raw(
    `select u.id, u.email from users u
     where exists (select from members m where m.user_id = u.id and m.by_rule)
       and (select bool_and(r.refused_at is not null)
           and max(r.refused_at) filter (where r.refusal_counts)
             < now() - make_interval(secs => :refusedSeconds)
         from sign_in_renewals r join sign_ins s on s.id = r.sign_in_id where s.user_id = u.id)
     order by u.id`,
    { refusedSeconds },
  );
  return readRows(query, user.pick({ id: true, email: true }));
}

/** Whether a refusal of this person counts; held until the transaction ends, and by one transaction only. */
export async function holdRefusals(trx: Transaction, userId: string): Promise<boolean> {
  const held = await trx('sign_in_renewals')
    .whereIn('sign_in_id', trx('sign_ins').where({ user_id: userId }).select('id'))
    .where({ refusal_counts: true })
    .forUpdate()
    .skipLocked()
    .select('sign_in_id');
  return held.length > 0;
}

/** Refusals of this person count no more: they signed in again, or were treated as refused. */
export async function settleRefusals(db: Db, userId: string): Promise<void> {
  await db('sign_in_renewals')
    .whereIn('sign_in_id', db('sign_ins').where({ user_id: userId }).select('id'))
    .where({ refusal_counts: true })
    .update({ refusal_counts: false });
}

/** Why a sign-in ended before `longestSeconds`, where the person did not end it. */
export async function whyNotRenewed(
  db: Db,
  signInId: string,
  longestSeconds: number,
): Promise<'refused' | 'not_renewed' | null> {
  const query = db.raw(
    `select case when r.refused_at is not null then 'refused'
       when s.revoked_at is null and s.expires_at <= now()
         and s.expires_at < s.created_at + make_interval(secs => :longestSeconds)
         then 'not_renewed' end as why
     from sign_ins s left join sign_in_renewals r on r.sign_in_id = s.id where s.id = :signInId`,
    { signInId, longestSeconds },
  );
  const [found] = await readRows(query, z.object({ why: z.enum(['refused', 'not_renewed']).nullable() }));
  return found?.why ?? null;
}

/**
 * Removes what sign-ins that have ended were renewed with: of people of whom a later one is kept, or whom no
 * rule made a member; and, after `longestSeconds`, refusals that count no more and of which no cookie is left
 * to ask.
 */
export async function removeEndedRenewals(db: Db, longestSeconds: number): Promise<void> {
  await db.raw(
    `delete from sign_in_renewals r using sign_ins s where s.id = r.sign_in_id
       and (s.revoked_at is not null or s.expires_at <= now())
       and case when r.refused_at is not null
         then s.created_at < now() - make_interval(secs => :longestSeconds)
           and not (r.refusal_counts
             and exists (select from members m where m.user_id = s.user_id and m.by_rule))
         else not exists (select from members m where m.user_id = s.user_id and m.by_rule)
           or exists (select from sign_in_renewals later join sign_ins l on l.id = later.sign_in_id
             where l.user_id = s.user_id and l.created_at > s.created_at and later.refused_at is null) end`,
    { longestSeconds },
  );
}

/** Removes those of every other provider and client; all, where there is none whose groups give roles. */
export async function removeOtherRenewals(db: Db, client: RenewalClient | null): Promise<void> {
  await db('sign_in_renewals')
    .modify((rows) => {
      if (client !== null) {
        rows.whereNot({ issuer: client.issuer }).orWhereNot({ client_id: client.clientId });
      }
    })
    .delete();
}

/** Removes those of a person who gets another subject. */
export async function removeRenewalsOfUser(db: Db, userId: string): Promise<void> {
  await db('sign_in_renewals')
    .whereIn('sign_in_id', db('sign_ins').where({ user_id: userId }).select('id'))
    .delete();
}

/** Seals with the first key what others sealed, and removes what none of the keys opens. */
export async function resealRenewals(
  db: Db,
  keys: MasterKeys,
): Promise<{ resealed: number; removed: number }> {
  const done = { resealed: 0, removed: 0 };
  for (let count = 1; count > 0; ) {
    count = await inTransaction(db, async (trx) => {
      const query = trx('sign_in_renewals')
        .whereNot('key_id', keys[0]?.id ?? '')
        .orderBy('sign_in_id')
        .limit(100)
        .forUpdate()
        .select('sign_in_id', 'sealed_value', 'sealed_data_key', 'key_id');
      const rows = await readRows(query, sealedRow);
      for (const row of rows) {
        const own = trx('sign_in_renewals').where({ sign_in_id: row.sign_in_id });
        const token = openedOrNull(keys, row);
        if (token === null) {
          done.removed += await own.delete();
        } else {
          done.resealed += await own.update(sealedColumns(keys, row.sign_in_id, token));
        }
      }
      return rows.length;
    });
  }
  return done;
}

function openedOrNull(keys: MasterKeys, row: z.infer<typeof sealedRow>): string | null {
  try {
    return openRow(keys, row);
  } catch (error) {
    if (error instanceof UnreadableSecretError) {
      return null;
    }
    throw error;
  }
}
