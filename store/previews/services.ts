/**
 * Services that previews show, each for one preview alone: whether it is wanted, how far it is, and what
 * quotas count. Final states never change.
 */
import * as z from 'zod';
import { entryName, uuid } from '../../contract/names.ts';
import { type ServiceState, serviceState } from '../../contract/preview.ts';
import { type FrozenConfiguration, frozenConfiguration } from '../../contract/session.ts';
import type { ServiceEnding } from '../../contract/workflows.ts';
import type { Db, Transaction } from '../database.ts';
import { onlyRow, readRow, readRows } from '../read-rows.ts';
import { unfinishedStatus } from '../sessions/conditions.ts';

/** Of a preview that was stored in the same transaction. */
export async function insertService(trx: Transaction, previewId: string): Promise<void> {
  await trx('preview_services').insert({ preview_id: previewId });
}

interface ServiceStatus {
  state: ServiceState;
  /** A sentence about an involuntary end. */
  reason: string | null;
}

const statusRow = z.object({ preview_id: uuid, state: serviceState, reason: z.string().nullable() });

/** Of those previews that show a service, by their ids. */
export async function readServiceStatuses(
  db: Db,
  previewIds: readonly string[],
): Promise<ReadonlyMap<string, ServiceStatus>> {
  const query = db('preview_services')
    .whereIn('preview_id', previewIds)
    .select('preview_id', 'state', 'reason');
  const rows = previewIds.length === 0 ? [] : await readRows(query, statusRow);
  return new Map(rows.map(({ preview_id, ...status }) => [preview_id, status]));
}

/** Whether it may still run something; null when the preview shows no service or does not exist. */
export async function readService(db: Db, previewId: string): Promise<{ hasEnded: boolean } | null> {
  const row = await db('preview_services').where({ preview_id: previewId }).first('stopped_at');
  return row === undefined ? null : { hasEnded: row.stopped_at !== null };
}

/**
 * Stores what it runs with, unless that is stored already. Its preview's id is in the place of a session's.
 */
export async function freezeService(db: Db, configuration: FrozenConfiguration): Promise<void> {
  await db('preview_services')
    .where({ preview_id: configuration.session_id })
    .whereNull('configuration')
    .update({ configuration: JSON.stringify(frozenConfiguration.parse(configuration)) });
}

/** Null before the freeze. Throws a ZodError for one that does not fit the contract. */
export async function readServiceConfiguration(
  db: Db,
  previewId: string,
): Promise<FrozenConfiguration | null> {
  const row = await db('preview_services').where({ preview_id: previewId }).first('configuration');
  return row?.configuration == null ? null : frozenConfiguration.parse(row.configuration);
}

/** Its workload is being started. Does nothing to one that is further. */
export async function markServiceStarting(db: Db, previewId: string): Promise<void> {
  await db('preview_services')
    .where({ preview_id: previewId, state: 'pending' })
    .update({ state: 'starting', started_at: db.fn.now() });
}

/** Where its gateway says that it listens. Nothing is sent there before the worker has compared it. */
export async function setReportedUrl(db: Db, previewId: string, url: string): Promise<void> {
  await db('preview_services')
    .where({ preview_id: previewId })
    .whereNull('stopped_at')
    .update({ reported_url: url });
}

export async function readReportedUrl(db: Db, previewId: string): Promise<string | null> {
  const row = await db('preview_services').where({ preview_id: previewId }).first('reported_url');
  return row?.reported_url ?? null;
}

/** It runs, and this is where it is asked. Does nothing once it has ended. */
export async function publishService(db: Db, previewId: string, address: string): Promise<void> {
  await db('preview_services')
    .where({ preview_id: previewId })
    .whereIn('state', ['pending', 'starting', 'running'])
    .update({ state: 'running', address });
}

/** Nobody asks it from now on. */
export async function withdrawService(db: Db, previewId: string): Promise<void> {
  await db('preview_services').where({ preview_id: previewId }).update({ address: null });
}

/**
 * Records the end, unless one is recorded. Returns the recorded one, or null when its preview does not exist
 * any more.
 */
export async function recordServiceEnding(
  trx: Transaction,
  previewId: string,
  { state, reason }: ServiceEnding,
): Promise<ServiceStatus | null> {
  await trx('preview_services')
    .where({ preview_id: previewId })
    .whereNull('stopped_at')
    .update({ state, reason, address: null, stopped_at: trx.fn.now() });
  const query = trx('preview_services')
    .where({ preview_id: previewId })
    .first('preview_id', 'state', 'reason');
  const row = await readRow(query, statusRow);
  return row && { state: row.state, reason: row.reason };
}

/** Ids of previews whose service was not stopped: each needs a workflow to end it. */
export async function listUnfinishedServices(db: Db): Promise<string[]> {
  const rows = await db('preview_services')
    .whereNull('stopped_at')
    .orderBy('created_at')
    .select('preview_id');
  return rows.map(({ preview_id }) => preview_id);
}

const idRow = z.object({ id: uuid });

/** The same of one session. */
export async function listUnfinishedServicesOfSession(db: Db, sessionId: string): Promise<string[]> {
  const query = db('previews as p')
    .join('preview_services as v', 'v.preview_id', 'p.id')
    .where('p.session_id', sessionId)
    .whereNull('v.stopped_at')
    .select('p.id');
  return (await readRows(query, idRow)).map(({ id }) => id);
}

/** Ids of the previews of a session that show a service and have not been ended. */
export async function listServicePreviewsOfSession(db: Db, sessionId: string): Promise<string[]> {
  const rows = await db('previews')
    .where({ session_id: sessionId })
    .whereNotNull('service')
    .whereNull('ended_at')
    .select('id');
  return rows.map(({ id }) => id);
}

const demandRow = z.object({
  session_id: uuid,
  workspace_id: uuid,
  service: entryName,
  is_wanted: z.boolean(),
  remaining_ms: z.coerce.number(),
});

interface ServiceDemand {
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

interface ServiceTotals {
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
type ServiceHolder = { workspaceId: string } | { sessionId: string };

/**
 * The time in seconds until fewer than `limit` were started within the last hour; not positive when that is
 * so already.
 */
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
