/** Previews, and their files until they end. */
import * as z from 'zod';
import type { Page, PageQuery } from '../../contract/page.ts';
import { type Preview, type PreviewAudience, preview } from '../../contract/preview.ts';
import type { Db, Transaction } from '../database.ts';
import { pageByTime } from '../page.ts';
import { onlyRow, readRows } from '../read-rows.ts';
import { whereReadableBy } from '../sessions/conditions.ts';
import { insertService } from './services.ts';

const previewColumns = Object.keys(preview.shape) as (keyof Preview)[];

/** The preview of this workspace, live or not, or null. */
export async function readPreview(
  db: Db,
  { workspaceId, id }: { workspaceId: string; id: string },
): Promise<Preview | null> {
  const row = await db('previews').where({ workspace_id: workspaceId, id }).first(previewColumns);
  return row ?? null;
}

/** The preview that this call of the session made, or null. */
export async function findPreviewOfCall(
  db: Db,
  { sessionId, callId }: { sessionId: string; callId: string },
): Promise<Preview | null> {
  const row = await db('previews').where({ session_id: sessionId, call_id: callId }).first(previewColumns);
  return row ?? null;
}

interface PreviewFilter {
  sessionId?: string | undefined;
  /** Only those that this member may open without being an admin. */
  openableBy?: string | undefined;
}

/** Live ones, newest first. Throws InvalidCursorError. */
export function listLivePreviews(
  db: Db,
  workspaceId: string,
  { sessionId, openableBy }: PreviewFilter,
  page: PageQuery,
): Promise<Page<Preview>> {
  const query = db('previews')
    .where({ workspace_id: workspaceId })
    .whereNull('ended_at')
    .whereRaw('expires_at > now()');
  if (sessionId !== undefined) {
    query.where({ session_id: sessionId });
  }
  if (openableBy !== undefined) {
    const readable = db('sessions')
      .where({ workspace_id: workspaceId })
      .where((either) => whereReadableBy(either, openableBy));
    query.where((either) =>
      either.where({ audience: 'workspace' }).orWhereIn('session_id', readable.select('id')),
    );
  }
  return pageByTime(db, query, preview, 'created_at', page);
}

export interface PreviewFile {
  path: string;
  bytes: Buffer;
}

export interface NewPreview {
  workspaceId: string;
  sessionId: string;
  callId: string;
  title: string | null;
  audience: PreviewAudience;
  /** The agent's service that it shows; null for files. */
  service: string | null;
  /** Normalized paths, each once; none with a service. */
  files: readonly PreviewFile[];
  seconds: number;
}

export const bytesOf = (files: readonly PreviewFile[]): number =>
  files.reduce((sum, { bytes }) => sum + bytes.length, 0);

/** Stores the preview with its files or its service. The caller has made sure that its call made none yet. */
export async function insertPreview(trx: Transaction, input: NewPreview): Promise<Preview> {
  const rows = await trx('previews')
    .insert({
      workspace_id: input.workspaceId,
      session_id: input.sessionId,
      call_id: input.callId,
      title: input.title,
      audience: input.audience,
      service: input.service,
      files: input.files.length,
      size_bytes: bytesOf(input.files),
      expires_at: trx.raw('now() + make_interval(secs => ?)', [input.seconds]),
    })
    .returning(previewColumns);
  const stored = onlyRow(rows);
  if (input.service !== null) {
    await insertService(trx, stored.id);
  }
  if (input.files.length > 0) {
    const files = input.files.map(({ path, bytes }) => ({ preview_id: stored.id, path, bytes }));
    await trx('preview_files').insert(files);
  }
  return stored;
}

interface PreviewTotals {
  /** Live ones. */
  ofSession: number;
  ofWorkspace: number;
  /** Of all whose files are stored, also those that expired a moment ago. */
  bytesOfWorkspace: number;
}

const totalsRow = z.object({ of_session: z.int(), of_workspace: z.int(), bytes: z.coerce.number().int() });

/** What quotas count. Takes a transaction that locked the workspace's quota. */
export async function readPreviewTotals(
  trx: Transaction,
  { workspaceId, sessionId }: { workspaceId: string; sessionId: string },
): Promise<PreviewTotals> {
  const statement = trx.raw(
    `select count(*) filter (where expires_at > now() and session_id = :sessionId) as of_session,
       count(*) filter (where expires_at > now()) as of_workspace, coalesce(sum(size_bytes), 0) as bytes
     from previews where workspace_id = :workspaceId and ended_at is null`,
    { workspaceId, sessionId },
  );
  const found = onlyRow(await readRows(statement, totalsRow));
  return { ofSession: found.of_session, ofWorkspace: found.of_workspace, bytesOfWorkspace: found.bytes };
}

/** Ends it, if it has not ended: null then. One that has expired ended when it did. */
export async function markPreviewEnded(trx: Transaction, id: string): Promise<Preview | null> {
  const rows = await trx('previews')
    .where({ id })
    .whereNull('ended_at')
    .update({ ended_at: trx.raw('least(now(), expires_at)') })
    .returning(previewColumns);
  return rows[0] ?? null;
}

/** Erases what a preview shows, and closes it for those who have it open. */
export async function erasePreview(trx: Transaction, id: string): Promise<void> {
  await trx('preview_files').where({ preview_id: id }).delete();
  await trx('preview_openings').where({ preview_id: id }).delete();
}

/** Ids of previews that have expired and not been ended, a few at a time. */
export async function listExpiredPreviews(db: Db, { limit }: { limit: number }): Promise<string[]> {
  const rows = await db('previews')
    .whereNull('ended_at')
    .whereRaw('expires_at <= now()')
    .orderBy('expires_at')
    .limit(limit)
    .select('id');
  return rows.map(({ id }) => id);
}
