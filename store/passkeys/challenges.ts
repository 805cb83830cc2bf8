/** Challenges that a person's passkey answers: each once, in time, for what it was made. */
import * as z from 'zod';
import { timestamp } from '../../contract/names.ts';
import { passkeyChallengeSeconds } from '../../contract/passkey.ts';
import { type Db, inTransaction } from '../database.ts';
import { onlyRow, readRows } from '../read-rows.ts';

export type ChallengePurpose = 'register' | 'approve';

export interface ChallengeKey {
  id: string;
  userId: string;
  purpose: ChallengePurpose;
}

/** Of one person at a time; the oldest gives way. */
const maxOpen = 50;

const times = z.object({ created_at: timestamp, expires_at: timestamp });

/** Begins one, and forgets those of the person that are over. */
export function insertChallenge(db: Db, key: ChallengeKey): Promise<z.infer<typeof times>> {
  const { id, userId, purpose } = key;
  return inTransaction(db, async (trx) => {
    await trx.raw(
      `delete from passkey_challenges where user_id = :userId and (expires_at <= now() or id in (
         select id from passkey_challenges where user_id = :userId
         order by created_at desc, id offset :kept))`,
      { userId, kept: maxOpen - 1 },
    );
    const inserted = trx('passkey_challenges')
      .insert({
        id,
        user_id: userId,
        purpose,
        expires_at: trx.raw('now() + make_interval(secs => ?)', [passkeyChallengeSeconds]),
      })
      .returning(['created_at', 'expires_at']);
    return onlyRow(await readRows(inserted, times));
  });
}

/** When one began that can still be taken; else null. */
export async function readChallenge(db: Db, key: ChallengeKey): Promise<string | null> {
  const [row] = await readRows(openChallenge(db, key).select(['created_at', 'expires_at']), times);
  return row?.created_at ?? null;
}

/**
 * Takes one, so that nothing else is answered by it, and returns when it began; null for one that is over,
 * was answered, or is another person's.
 */
export async function takeChallenge(db: Db, key: ChallengeKey): Promise<string | null> {
  const taken = openChallenge(db, key).delete().returning(['created_at', 'expires_at']);
  const [row] = await readRows(taken, times);
  return row?.created_at ?? null;
}

const clock = z.object({ now_ms: z.number() });

/** The time, in ms since the epoch, by the clock that challenges begin by. */
export async function readClockMs(db: Db): Promise<number> {
  const statement = db.raw(`select (extract(epoch from clock_timestamp()) * 1000)::float8 as now_ms`);
  return onlyRow(await readRows(statement, clock)).now_ms;
}

const openChallenge = (db: Db, { id, userId, purpose }: ChallengeKey) =>
  db('passkey_challenges').where({ id, user_id: userId, purpose }).where('expires_at', '>', db.fn.now());
