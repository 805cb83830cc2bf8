/** How many sessions run before one that wants to start, and how many workers there are to take them. */
import * as z from 'zod';
import type { Db } from '../database.ts';
import { readRows } from '../read-rows.ts';
import { goneAfterSeconds } from '../workers/workers.ts';
import { unfinishedStatus } from './list-unfinished.ts';

const row = z.object({ earlier: z.coerce.number(), workers: z.coerce.number() });
export type Capacity = z.infer<typeof row>;

/**
 * `earlier`: unfinished sessions that were created before this one, so that of several that start at the same time the first ones find a
 * place. `workers`: those that reported themselves lately.
 */
export async function readCapacity(db: Db, sessionId: string): Promise<Capacity> {
  const statement = db.raw(
    `select
       (select count(*) from sessions other where other.${unfinishedStatus}
         and (other.created_at, other.id) < (s.created_at, s.id)) as earlier,
       (select count(*) from workers where seen_at > now() - make_interval(secs => ?)) as workers
     from sessions s where s.id = ?`,
    [goneAfterSeconds, sessionId],
  );
  const [found] = await readRows(statement, row);
  return found ?? { earlier: 0, workers: 0 };
}
