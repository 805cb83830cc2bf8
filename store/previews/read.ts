/** Reading previews, without their files. */
import type { Page, PageQuery } from '../../contract/page.ts';
import { type Preview, preview } from '../../contract/preview.ts';
import type { Db } from '../database.ts';
import { pageByTime } from '../page-by-time.ts';
import { whereReadableBy } from '../sessions/readable.ts';

export const previewColumns = Object.keys(preview.shape) as (keyof Preview)[];

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

export interface PreviewFilter {
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
