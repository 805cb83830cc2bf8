/** Whether the service of a preview is still wanted, and what it is about. */
import * as z from 'zod';
import { entryName, uuid } from '../../contract/names.ts';
import type { Db } from '../database.ts';
import { readRows } from '../read-rows.ts';
import { unfinishedStatus } from '../sessions/list-unfinished.ts';

const demandRow = z.object({
  session_id: uuid,
  workspace_id: uuid,
  service: entryName,
  is_wanted: z.boolean(),
  remaining_ms: z.coerce.number(),
});

export interface ServiceDemand {
  workspaceId: string;
  /** Whose agent has it. */
  sessionId: string;
  service: string;
  /** Its preview is live, its session has not ended, and the people who drive that are still members. */
  isWanted: boolean;
  /** Until its preview expires; negative afterwards. */
  remainingMs: number;
}

const statement = `
  select p.session_id, p.workspace_id, p.service,
    p.ended_at is null and p.expires_at > now() and v.stopped_at is null and s.${unfinishedStatus}
      and not exists (
        select from unnest(array[s.operator_id, s.root_operator_id, s.schedule_maker_id]) as person(id)
        where person.id is not null and not exists (
          select from members m where m.workspace_id = s.workspace_id and m.user_id = person.id)) as is_wanted,
    extract(epoch from p.expires_at - now()) * 1000 as remaining_ms
  from preview_services v
  join previews p on p.id = v.preview_id
  join sessions s on s.id = p.session_id
  where v.preview_id = ?`;

/** Null when the preview was removed. */
export async function readServiceDemand(db: Db, previewId: string): Promise<ServiceDemand | null> {
  const [found] = await readRows(db.raw(statement, [previewId]), demandRow);
  return found === undefined
    ? null
    : {
        workspaceId: found.workspace_id,
        sessionId: found.session_id,
        service: found.service,
        isWanted: found.is_wanted,
        remainingMs: found.remaining_ms,
      };
}
