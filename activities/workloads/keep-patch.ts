/** The patch of a session's repository becomes an artifact of the session. */
import { createHash } from 'node:crypto';
import { createArtifact } from '../../commands/artifacts/create.ts';
import { systemActor } from '../../contract/session-event.ts';
import type { TakePatch } from '../../runtime/workload.ts';
import { patchId, readArtifactById } from '../../store/artifacts/artifacts.ts';
import { abandonContent, appendChunk, beginContent } from '../../store/artifacts/contents.ts';
import type { Db } from '../../store/database.ts';
import { appendSessionEvent, derivedId } from '../../store/session-events/append.ts';
import { readSession } from '../../store/sessions/sessions.ts';

const chunkBytes = 256 * 1024;
const name = 'changes.patch';
const mimeType = 'text/x-diff';

/** Idempotent: its id follows from the session. What is no session, or was deleted, keeps none. */
export const takePatchWith =
  ({ db, sessionBytes }: { db: Db; sessionBytes: number }): TakePatch =>
  async (sessionId, made) => {
    const session = await readSession(db, sessionId);
    // What failed after the patch was kept is tried again, and may find that there is none any more.
    if (session === null || (await readArtifactById(db, patchId(sessionId))) !== null) {
      return;
    }
    if ('problem' in made) {
      await tell(db, sessionId, `There is no patch of the repository: ${made.problem}`);
    } else if (made.patch.length === 0) {
      await tell(db, sessionId, 'The agent changed nothing in the repository.');
    } else if (!(await keep(db, { sessionId, agentId: session.agent_id, patch: made.patch, sessionBytes }))) {
      await tell(db, sessionId, 'There is no patch of the repository: the session has no room for it.');
    }
  };

async function tell(db: Db, sessionId: string, message: string): Promise<void> {
  await appendSessionEvent(db, sessionId, {
    id: derivedId(sessionId, 'no_patch'),
    type: 'platform.notice',
    actor: systemActor,
    payload: { code: 'no_patch', message },
  });
}

/** False when the session's artifacts together would be too large. */
async function keep(
  db: Db,
  {
    sessionId,
    agentId,
    patch,
    sessionBytes,
  }: { sessionId: string; agentId: string; patch: Buffer; sessionBytes: number },
): Promise<boolean> {
  const contentId = await beginContent(db, sessionId);
  try {
    for (let at = 0; at < patch.length; at += chunkBytes) {
      const bytes = patch.subarray(at, at + chunkBytes);
      await appendChunk(db, { contentId, position: at / chunkBytes, bytes });
    }
    const created = await createArtifact(
      db,
      {
        ...{ id: patchId(sessionId), sessionId, agentId, name, mimeType, contentId, sizeBytes: patch.length },
        description: 'What changed in the repository, against the commit that the session began with.',
        sha256: createHash('sha256').update(patch).digest('hex'),
      },
      { sessionBytes },
    );
    return created.result === 'stored';
  } finally {
    // Removes nothing when it has become an artifact.
    await abandonContent(db, contentId);
  }
}
