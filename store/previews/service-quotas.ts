/** What quotas count of services. Each takes a transaction that locked the workspace's quota. */
import * as z from 'zod';
import type { Transaction } from '../database.ts';
import { onlyRow, readRow, readRows } from '../read-rows.ts';

export interface ServiceTotals {
  /** Those that are not stopped. */
  ofSession: number;
  ofWorkspace: number;
}

const totalsRow = z.object({ of_session: z.coerce.number().int(), of_workspace: z.coerce.number().int() });

export async function readServiceTotals(
  trx: Transaction,
  { workspaceId, sessionId }: { workspaceId: string; sessionId: string },
): Promise<ServiceTotals> {
  const statement = trx.raw(
    `select count(*) filter (where p.session_id = :sessionId) as of_session, count(*) as of_workspace
     from preview_services v join previews p on p.id = v.preview_id
     where v.stopped_at is null and p.workspace_id = :workspaceId`,
    { workspaceId, sessionId },
  );
  const found = onlyRow(await readRows(statement, totalsRow));
  return { ofSession: found.of_session, ofWorkspace: found.of_workspace };
}

/** Whose starts count. */
export type ServiceHolder = { workspaceId: string } | { sessionId: string };

/** The time in seconds until fewer than `limit` were started within the last hour; not positive when that is so already. */
export async function readServiceWait(
  trx: Transaction,
  of: ServiceHolder,
  { limit }: { limit: number },
): Promise<number> {
  const holder = 'sessionId' in of ? { 'p.session_id': of.sessionId } : { 'p.workspace_id': of.workspaceId };
  const query = trx('preview_services as v')
    .join('previews as p', 'p.id', 'v.preview_id')
    .where(holder)
    .whereRaw("v.created_at > now() - interval '1 hour'")
    .orderBy('v.created_at', 'desc')
    .offset(limit - 1)
    .first(trx.raw("ceil(extract(epoch from v.created_at + interval '1 hour' - now()))::integer as seconds"));
  const found = await readRow(query, z.object({ seconds: z.int() }));
  return found?.seconds ?? 0;
}
