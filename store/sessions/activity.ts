/** The idle clock of a session. */
import * as z from 'zod';
import { timestamp } from '../../contract/names.ts';
import { type Db, prepared } from '../database.ts';
import { readRows } from '../read-rows.ts';
import { unfinishedStatus, waitsForSomebody } from './conditions.ts';

/** Records activity in the session. At most one write a second, which is enough for the idle clock. */
export async function touchActivity(db: Db, id: string): Promise<void> {
  await prepared(
    db,
    'touch_activity',
    `update sessions set last_activity_at = now() where id = $1 and last_activity_at < now() - interval '1 second'`,
    [id],
  );
}

const idleState = z.object({
  lastActivityAt: timestamp,
  /** It waits for a person (`conditions.ts`) or for its children, so the idle clock is paused. */
  waiting: z.boolean(),
  /** Until when its agent said that nothing would happen; null when it did not. */
  quietUntil: timestamp.nullable(),
});
export type IdleState = z.infer<typeof idleState>;

/** Throws for an unknown session. */
export async function readIdleState(db: Db, id: string): Promise<IdleState> {
  const statement = prepared(
    db,
    'read_idle_state',
    `select last_activity_at as "lastActivityAt", quiet_until as "quietUntil",
       (${waitsForSomebody}) or exists (
         select from sessions child where child.parent_session_id = s.id and child.${unfinishedStatus}
       ) as waiting
     from sessions s where id = $1`,
    [id],
  );
  const [state] = await readRows(statement, idleState);
  if (state === undefined) {
    throw new Error(`there is no session ${id}`);
  }
  return state;
}

/**
 * Records until when the session may be quiet: the later of two stays. Returns it, or null
 * once the session has ended.
 */
export async function expectQuiet(
  db: Db,
  id: string,
  { seconds }: { seconds: number },
): Promise<string | null> {
  const row = db('sessions')
    .where({ id })
    .whereNull('ended_at')
    .update({ quiet_until: db.raw('greatest(quiet_until, now() + make_interval(secs => ?))', [seconds]) })
    .returning('quiet_until');
  const [found] = await readRows(row, z.object({ quiet_until: timestamp }));
  return found?.quiet_until ?? null;
}
