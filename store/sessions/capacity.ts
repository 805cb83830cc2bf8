/**
 * How many sessions, and services of previews, run before one that wants to start, and how many
 * workers there are to take them.
 */
import * as z from 'zod';
import type { Db } from '../database.ts';
import { readRows } from '../read-rows.ts';
import { goneAfterSeconds } from '../workers/workers.ts';
import { unfinishedStatus } from './conditions.ts';

const row = z.object({ earlier: z.coerce.number(), workers: z.coerce.number() });
export type Capacity = z.infer<typeof row>;

/**
 * `earlier`: unfinished sessions and services that were created before this one, so that of several that
 * start at the same time the first ones find a place. `workers`: those that reported themselves lately. `id`:
 * of a session, or of a preview that shows a service.
 */
export async function readCapacity(db: Db, id: string): Promise<Capacity> {
  const statement = db.raw(
    `with own as (
       select id, created_at from sessions where id = :id
       union all select preview_id, created_at from preview_services where preview_id = :id)
     select
       (select count(*) from sessions other where other.${unfinishedStatus}
         and (other.created_at, other.id) < (own.created_at, own.id))
       + (select count(*) from preview_services other where other.stopped_at is null
         and (other.created_at, other.preview_id) < (own.created_at, own.id)) as earlier,
       (select count(*) from workers where seen_at > now() - make_interval(secs => :seconds)) as workers
     from own`,
    { id, seconds: goneAfterSeconds },
  );
  const [found] = await readRows(statement, row);
  return found ?? { earlier: 0, workers: 0 };
}
