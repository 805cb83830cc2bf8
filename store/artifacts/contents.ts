/** The bytes of artifacts, in chunks: nothing holds a connection while bytes arrive or leave. */
import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { type Db, prepared } from '../database.ts';
import { readRows } from '../read-rows.ts';

/** Begins a content for bytes that arrive; returns its id. Incomplete contents are removed later. */
export async function beginContent(db: Db, sessionId: string): Promise<string> {
  const id = randomUUID();
  await db('artifact_contents').insert({ id, session_id: sessionId });
  return id;
}

const appendStatement = `
  with grown as (
    update artifact_contents set size_bytes = size_bytes + length($3::bytea), touched_at = now()
    where id = $1 and completed_at is null returning id
  )
  insert into artifact_chunks (content_id, position, bytes) select id, $2, $3 from grown returning position`;

/** Adds the next chunk. Throws when the content is complete, or was removed as abandoned. */
export async function appendChunk(
  db: Db,
  chunk: { contentId: string; position: number; bytes: Buffer },
): Promise<void> {
  const values = [chunk.contentId, chunk.position, chunk.bytes];
  const rows = await prepared(db, 'append_artifact_chunk', appendStatement, values);
  if (rows.length === 0) {
    throw new Error(`artifact content ${chunk.contentId} takes no more bytes`);
  }
}

/** Removes a content that will not be completed; harmless for one that was. */
export async function abandonContent(db: Db, contentId: string): Promise<void> {
  await db('artifact_contents').where({ id: contentId }).whereNull('completed_at').delete();
}

/** Removes the contents of abandoned uploads, a few at a time. Returns how many. */
export async function removeAbandonedContents(
  db: Db,
  { untouchedSeconds, limit }: { untouchedSeconds: number; limit: number },
): Promise<number> {
  const abandoned = db('artifact_contents')
    .whereNull('completed_at')
    .whereRaw('touched_at < now() - make_interval(secs => ?)', [untouchedSeconds])
    .orderBy('touched_at')
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .select('id');
  return db('artifact_contents').whereIn('id', abandoned).delete();
}

const chunkRow = z.object({ bytes: z.instanceof(Buffer) });
const chunkOf = 'select bytes from artifact_chunks where content_id = $1 and position = $2';

/** Yields the chunks, each read by a separate statement. */
export async function* readBytes(db: Db, contentId: string): AsyncGenerator<Buffer> {
  for (let position = 0; ; position += 1) {
    const [found] = await readRows(prepared(db, 'artifact_chunk', chunkOf, [contentId, position]), chunkRow);
    if (found === undefined) {
      return;
    }
    yield found.bytes;
  }
}
