/** The idle clock of a session. */
import * as z from 'zod';
import { timestamp } from '../../contract/names.ts';
import { type Db, prepared } from '../database.ts';
import { readRows } from '../read-rows.ts';
import { waitsForSomebody } from './waits.ts';

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
  /** It waits for a person (`waits.ts`), so the idle clock is paused. */
  waitingForHuman: z.boolean(),
});
export type IdleState = z.infer<typeof idleState>;

/** Throws for an unknown session. */
export async function readIdleState(db: Db, id: string): Promise<IdleState> {
  const statement = prepared(
    db,
    'read_idle_state',
    `select last_activity_at as "lastActivityAt",
       (${waitsForSomebody}) as "waitingForHuman"
     from sessions s where id = $1`,
    [id],
  );
  const [state] = await readRows(statement, idleState);
  if (state === undefined) {
    throw new Error(`there is no session ${id}`);
  }
  return state;
}
