/** A person asks for the patch of a session that runs. */
import type { Session } from '../../contract/session.ts';
import {
  insertPatchRequest,
  type PatchRequest,
  readOpenPatchRequest,
  tellPatchRequestAgain,
  wasPatchRequestedWithin,
} from '../../store/artifacts/patch-requests.ts';
import { appendAuditEvent } from '../../store/audit-events/append.ts';
import { type Db, inTransaction } from '../../store/database.ts';
import { agentNameOf, lockSession } from '../../store/sessions/sessions.ts';

/** Between two that begin: each takes a sandbox, and room of the session's artifacts. */
export const secondsBetweenPatches = 10;

/**
 * One that is open for longer is told once more, since its workflow may not have been. Not at each request:
 * Temporal takes a limited number of signals.
 */
export const lostAfterSeconds = 60;

export type RequestedPatch =
  | {
      result: 'requested';
      request: PatchRequest;
      /** Whether the session's workflow is to be told. */
      tells: boolean;
    }
  | { result: 'not_running' }
  | { result: 'too_soon' };

/** While one is being made that is the answer, and nothing is recorded again. */
export function requestPatch(
  db: Db,
  { id: sessionId, workspace_id: workspaceId }: Pick<Session, 'id' | 'workspace_id'>,
  userId: string,
): Promise<RequestedPatch> {
  return inTransaction(db, async (trx) => {
    const session = await lockSession(trx, sessionId);
    if (session?.status !== 'running') {
      return { result: 'not_running' };
    }
    const open = await readOpenPatchRequest(trx, sessionId);
    if (open !== null) {
      const tells = await tellPatchRequestAgain(trx, open.id, lostAfterSeconds);
      return { result: 'requested', request: open, tells };
    }
    if (await wasPatchRequestedWithin(trx, sessionId, secondsBetweenPatches)) {
      return { result: 'too_soon' };
    }
    const request = await insertPatchRequest(trx, { sessionId, userId });
    await appendAuditEvent(trx, {
      ...{ workspaceId, sessionId, event: 'session.patch_requested', actor: { type: 'user', id: userId } },
      resource: { type: 'session', id: sessionId, name: await agentNameOf(trx, session.agent_id) },
    });
    return { result: 'requested', request, tells: true };
  });
}
