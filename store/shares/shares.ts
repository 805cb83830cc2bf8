/** Texts and artifacts that an agent shares with the members of its workspace. */
import * as z from 'zod';
import { timestamp, uuid } from '../../contract/names.ts';
import type { SessionEventPayload } from '../../contract/session-event.ts';
import type { Db } from '../database.ts';
import { readRow } from '../read-rows.ts';

export const share = z.strictObject({
  id: uuid,
  session_id: uuid,
  title: z.string(),
  audience: z.literal('workspace'),
  artifact_id: uuid.nullable(),
  text: z.string().nullable(),
  expires_at: timestamp.nullable(),
  created_at: timestamp,
});
export type Share = z.infer<typeof share>;

/** Whether this session has the artifact. */
export async function isArtifactOfSession(db: Db, sessionId: string, artifactId: string): Promise<boolean> {
  const artifact = await db('artifacts').where({ id: artifactId, session_id: sessionId }).first('id');
  return artifact !== undefined;
}

/** Stores a share; idempotent by id. False when the share of another session has this id. */
export async function insertShare(
  db: Db,
  sessionId: string,
  input: SessionEventPayload<'agent.shared'>,
): Promise<boolean> {
  await db('shares')
    .insert({
      id: input.share_id,
      session_id: sessionId,
      artifact_id: input.artifact_id,
      text: input.text,
      title: input.title,
      audience: input.audience,
      expires_at: input.expires_at,
    })
    .onConflict('id')
    .ignore();
  const stored = await db('shares').where({ id: input.share_id, session_id: sessionId }).first('id');
  return stored !== undefined;
}

/** An unexpired share, for a member of its workspace; null for everybody else. */
export function readShareAsMember(
  db: Db,
  { id, userId }: { id: string; userId: string },
): Promise<Share | null> {
  const query = db('shares')
    .join('sessions', 'sessions.id', 'shares.session_id')
    .join('members', 'members.workspace_id', 'sessions.workspace_id')
    .where('shares.id', id)
    .where('members.user_id', userId)
    .whereRaw('(shares.expires_at is null or shares.expires_at > now())')
    .first(Object.keys(share.shape).map((column) => `shares.${column}`));
  return readRow(query, share);
}
