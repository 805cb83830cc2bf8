import { systemActor } from '../../contract/session-event.ts';
import {
  type Artifact,
  insertArtifact,
  type NewArtifact,
  readArtifactById,
  usedBytes,
} from '../../store/artifacts/artifacts.ts';
import { type Db, inTransaction } from '../../store/database.ts';
import { appendSessionEvent, derivedId } from '../../store/session-events/append.ts';
import { lockSessionRow } from '../../store/sessions/sessions.ts';

/**
 * `too_large`: the session's artifacts together would exceed the limit. `id_taken`: by
 * another session's artifact.
 */
export type CreatedArtifact =
  | { result: 'stored'; artifact: Artifact }
  | { result: 'too_large' }
  | { result: 'id_taken' };

/** Turns a content into an artifact, with its event. Idempotent by id. */
export function createArtifact(
  db: Db,
  input: NewArtifact,
  { sessionBytes }: { sessionBytes: number },
): Promise<CreatedArtifact> {
  return inTransaction(db, async (trx) => {
    await lockSessionRow(trx, input.sessionId);
    const known = await readArtifactById(trx, input.id);
    if (known !== null) {
      return known.session_id === input.sessionId
        ? { result: 'stored', artifact: known }
        : { result: 'id_taken' };
    }
    if ((await usedBytes(trx, input.sessionId)) + input.sizeBytes > sessionBytes) {
      return { result: 'too_large' };
    }
    const artifact = await insertArtifact(trx, input);
    if (artifact === null) {
      return { result: 'id_taken' };
    }
    await appendSessionEvent(trx, input.sessionId, {
      id: derivedId(input.id, 'artifact'),
      type: 'agent.artifact',
      actor: artifact.made_by === 'platform' ? systemActor : { type: 'agent', id: input.agentId },
      payload: {
        artifact_id: artifact.id,
        name: artifact.name,
        mime_type: artifact.mime_type,
        size_bytes: artifact.size_bytes,
        sha256: artifact.sha256,
        description: artifact.description,
      },
    });
    return { result: 'stored', artifact };
  });
}
