/** What agents hand out, and the patches that the platform makes: bytes with a name, within limits. */
import * as z from 'zod';
import { timestamp, uuid } from '../../contract/names.ts';
import type { Page, PageQuery } from '../../contract/page.ts';
import type { Db, Transaction } from '../database.ts';
import { pageByTime } from '../page.ts';
import { onlyRow, readRow, readRows } from '../read-rows.ts';
import { derivedId } from '../session-events/append.ts';

const artifactRow = z.strictObject({
  id: uuid,
  session_id: uuid,
  name: z.string(),
  mime_type: z.string(),
  description: z.string().nullable(),
  size_bytes: z.int(),
  sha256: z.string(),
  created_at: timestamp,
});
type ArtifactRow = z.infer<typeof artifactRow>;

export const artifact = artifactRow.extend({ made_by: z.enum(['agent', 'platform']) });
export type Artifact = z.infer<typeof artifact>;

const columns = Object.keys(artifactRow.shape) as (keyof ArtifactRow)[];

/** Of the patch of a session's repository: that of its end, or one that was asked for before. */
export const patchId = (sessionId: string, requestId?: string): string =>
  derivedId(sessionId, 'repository_patch', ...(requestId === undefined ? [] : [requestId]));

/** Of all artifacts patches alone have such an id: what agents hand out has one that their sidecars chose. */
const isDerived = (id: string): boolean => id.charAt(14) === '8';

const withMaker = (row: ArtifactRow): Artifact => ({
  ...row,
  made_by: isDerived(row.id) ? 'platform' : 'agent',
});

const schema = { shape: artifactRow.shape, parse: (row: unknown) => withMaker(artifactRow.parse(row)) };

export interface NewArtifact {
  id: string;
  sessionId: string;
  agentId: string;
  name: string;
  mimeType: string;
  description: string | null;
  sha256: string;
  sizeBytes: number;
  /** Its bytes, all of them. */
  contentId: string;
}

/** The artifact of this id, of whichever session it is, or null. */
export async function readArtifactById(db: Db, id: string): Promise<Artifact | null> {
  return readRow(db('artifacts').where({ id }).first(columns), schema);
}

/** Total size of a session's artifacts. */
export async function usedBytes(db: Db, sessionId: string): Promise<number> {
  const query = db('artifacts').where({ session_id: sessionId }).sum('size_bytes as bytes');
  return onlyRow(await readRows(query, z.object({ bytes: z.int().nullable() }))).bytes ?? 0;
}

/** Turns a content into an artifact. Null when another session already uses this id. */
export async function insertArtifact(trx: Transaction, input: NewArtifact): Promise<Artifact | null> {
  const rows = await trx('artifacts')
    .insert({
      id: input.id,
      session_id: input.sessionId,
      name: input.name,
      mime_type: input.mimeType,
      description: input.description,
      size_bytes: input.sizeBytes,
      sha256: input.sha256,
      content_id: input.contentId,
    })
    .onConflict('id')
    .ignore()
    .returning(columns);
  if (rows[0] !== undefined) {
    await trx('artifact_contents').where({ id: input.contentId }).update({ completed_at: trx.fn.now() });
  }
  return rows[0] === undefined ? null : withMaker(rows[0]);
}

/** Newest first, without the bytes. Throws InvalidCursorError. */
export function listArtifacts(db: Db, sessionId: string, page: PageQuery): Promise<Page<Artifact>> {
  return pageByTime(db, db('artifacts').where({ session_id: sessionId }), schema, 'created_at', page);
}

/** An artifact, and the content that `readBytes` reads. */
export async function readArtifact(
  db: Db,
  { sessionId, id }: { sessionId: string; id: string },
): Promise<{ artifact: Artifact; contentId: string } | null> {
  const row = await db('artifacts')
    .where({ id, session_id: sessionId })
    .first([...columns, 'content_id']);
  if (row === undefined) {
    return null;
  }
  const { content_id: contentId, ...found } = row;
  return { artifact: withMaker(found), contentId };
}
