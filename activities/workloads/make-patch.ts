import { activityInfo, cancellationSignal } from '@temporalio/activity';
import type { MadePatch } from '../../runtime/workload.ts';
import { answerPatchRequest, readOpenPatchRequest } from '../../store/artifacts/patch-requests.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { withHeartbeats } from '../with-heartbeats.ts';
import { keepPatchSoFar } from './keep-patch.ts';

/** A worker may be restarted meanwhile; what fails more often than that fails always. */
const maxAttempts = 3;

/**
 * Makes the patch that somebody asked for while the session runs. Idempotent: an answered request is made no
 * more, and what is kept of one has an id that follows from it.
 */
export async function makePatch(
  { db, runtime, limits, log }: ActivityDependencies,
  { sessionId }: { sessionId: string },
): Promise<void> {
  const request = await readOpenPatchRequest(db, sessionId);
  if (request === null) {
    return;
  }
  const signal = cancellationSignal();
  const made = await withHeartbeats(async (): Promise<MadePatch> => {
    if (runtime.makePatch === undefined) {
      return { problem: 'sessions have no repositories here' };
    }
    return runtime.makePatch(sessionId, signal).catch((error: unknown) => {
      if (signal.aborted || activityInfo().attempt < maxAttempts) {
        throw error;
      }
      log.error({ err: error, sessionId }, 'a patch that was asked for was not made');
      return { problem: 'the worker failed to make it; its log says why' };
    });
  });
  const sessionBytes = limits.LIMIT_SESSION_ARTIFACT_BYTES;
  await keepPatchSoFar(db, { sessionId, requestId: request.id, sessionBytes }, made);
  await answerPatchRequest(db, request.id);
}
