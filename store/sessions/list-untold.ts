import * as z from 'zod';
import { sessionSignals } from '../../contract/workflows.ts';
import type { Db } from '../database.ts';
import { readRows } from '../read-rows.ts';

const { inputAvailable, agentEnded, terminate } = sessionSignals;
const row = z.object({ id: z.string(), signal: z.enum([inputAvailable, agentEnded, terminate]) });
export type UntoldSession = z.infer<typeof row>;

/**
 * Sessions whose workflow may have missed a signal: a message still undelivered after this long, or
 * a requested ending. Signalling it again is harmless.
 */
export async function listUntoldSessions(
  db: Db,
  { undeliveredSeconds }: { undeliveredSeconds: number },
): Promise<UntoldSession[]> {
  const statement = db.raw(
    `select id, case
         when requested_ending is null then ?::text
         when requested_ending #>> '{by,type}' = 'agent' then ?::text
         else ?::text end as signal
     from sessions s
     where ended_at is null and (
       requested_ending is not null
       or status = 'running' and exists (
         select from session_inputs
         where session_id = s.id and delivered_at is null and at < now() - make_interval(secs => ?)
       )
     )
     order by created_at`,
    [inputAvailable, agentEnded, terminate, undeliveredSeconds],
  );
  return readRows(statement, row);
}
