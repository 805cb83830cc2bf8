/** Patches of a session's repository become artifacts of the session. */
import { createHash } from 'node:crypto';
import { createArtifact } from '../../commands/artifacts/create.ts';
import { systemActor } from '../../contract/session-event.ts';
import type { MadePatch, TakePatch } from '../../runtime/workload.ts';
import { patchId, readArtifactById } from '../../store/artifacts/artifacts.ts';
import { abandonContent, appendChunk, beginContent } from '../../store/artifacts/contents.ts';
import type { PatchRequest } from '../../store/artifacts/patch-requests.ts';
import type { Db } from '../../store/database.ts';
import { appendSessionEvent, derivedId } from '../../store/session-events/append.ts';
import { readSession } from '../../store/sessions/sessions.ts';

const chunkBytes = 256 * 1024;
const mimeType = 'text/x-diff';
/** By their names in the configuration. */
type PatchLimits = Record<'LIMIT_SESSION_ARTIFACT_BYTES' | 'LIMIT_ARTIFACT_BYTES', number>;

/** Leaves room for the patch at the session's end: as large as one may be, or half of a small session's. */
const roomSoFar = ({ LIMIT_SESSION_ARTIFACT_BYTES: all, LIMIT_ARTIFACT_BYTES: one }: PatchLimits) =>
  all - Math.min(one, Math.floor(all / 2));

interface Kept {
  id: string;
  name: string;
  description: string;
  /** Of all artifacts of the session. */
  sessionBytes: number;
  /** Of the event that says why there is none. */
  noticeId: string;
  nothingChanged: string;
}

/** Idempotent: its id follows from the session. What is no session, or was deleted, keeps none. */
export const takePatchWith =
  ({ db, sessionBytes }: { db: Db; sessionBytes: number }): TakePatch =>
  (sessionId, made) =>
    keepOrTell(db, sessionId, made, {
      id: patchId(sessionId),
      name: 'changes.patch',
      description: 'What changed in the repository, against the commit that the session began with.',
      sessionBytes,
      noticeId: derivedId(sessionId, 'no_patch'),
      nothingChanged: 'The agent changed nothing in the repository.',
    });

/** Of a session that runs, as somebody asked. Idempotent: its id follows from the request. */
export const keepPatchSoFar = (
  db: Db,
  { sessionId, request, limits }: { sessionId: string; request: PatchRequest; limits: PatchLimits },
  made: MadePatch,
): Promise<void> =>
  keepOrTell(db, sessionId, made, {
    id: patchId(sessionId, request.id),
    name: 'changes-so-far.patch',
    description: `What had changed in the repository when it was asked for at ${request.requested_at}, against the commit that the session began with.`,
    sessionBytes: roomSoFar(limits),
    noticeId: derivedId(sessionId, 'no_patch', request.id),
    nothingChanged: 'The agent has changed nothing in the repository so far.',
  });

async function keepOrTell(db: Db, sessionId: string, made: MadePatch, kept: Kept): Promise<void> {
  const session = await readSession(db, sessionId);
  // What failed after the patch was kept is tried again, and may find that there is none any more.
  if (session === null || (await readArtifactById(db, kept.id)) !== null) {
    return;
  }
  const tell = (message: string) =>
    appendSessionEvent(db, sessionId, {
      id: kept.noticeId,
      type: 'platform.notice',
      actor: systemActor,
      payload: { code: 'no_patch', message },
    });
  if ('problem' in made) {
    await tell(`There is no patch of the repository: ${made.problem}`);
  } else if (made.patch.length === 0) {
    await tell(kept.nothingChanged);
  } else if (!(await keep(db, { sessionId, agentId: session.agent_id, patch: made.patch, kept }))) {
    await tell('There is no patch of the repository: the session has no room for it.');
  }
}

interface Keeping {
  sessionId: string;
  agentId: string;
  patch: Buffer;
  kept: Kept;
}

/** False when the session's artifacts together would be too large. */
async function keep(
  db: Db,
  { sessionId, agentId, patch, kept: { id, name, description, sessionBytes } }: Keeping,
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
        ...{ id, sessionId, agentId, name, mimeType, description, contentId, sizeBytes: patch.length },
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
