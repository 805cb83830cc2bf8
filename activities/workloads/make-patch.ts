import { cancellationSignal } from '@temporalio/activity';
import type { MadePatch } from '../../runtime/workload.ts';
import {
  answerPatchRequest,
  type PatchRequest,
  readOpenPatchRequest,
} from '../../store/artifacts/patch-requests.ts';
import { readSession } from '../../store/sessions/sessions.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { withHeartbeats } from '../with-heartbeats.ts';
import { inPatchShare } from '../workspace-share.ts';
import { keepPatchSoFar } from './keep-patch.ts';

interface Asked {
  sessionId: string;
}

/**
 * Makes the patch that somebody asked for while the session runs. Idempotent: an answered request is made no
 * more, and what is kept of one has an id that follows from it. Throws what is tried again: a fault of the
 * worker, a patch that was abandoned, or a workspace that has enough under way.
 */
export function makePatch(dependencies: ActivityDependencies, { sessionId }: Asked): Promise<void> {
  const { db, runtime, log } = dependencies;
  const signal = cancellationSignal();
  return withHeartbeats(async () => {
    const session = await readSession(db, sessionId);
    const request = await readOpenPatchRequest(db, sessionId);
    if (session === null || request === null) {
      return;
    }
    await inPatchShare(session.workspace_id, async () => {
      const made = await (runtime.makePatch?.(sessionId, signal) ?? { problem: noRepositories });
      await answer(dependencies, { sessionId, request, made });
    }).catch((error: unknown) => {
      if (!signal.aborted) {
        log.warn({ err: error, sessionId }, 'a patch that was asked for was not made, and is tried again');
      }
      throw error;
    });
  });
}

const noRepositories = 'sessions have no repositories here';

/** Once it was tried for long enough. Idempotent. */
export async function giveUpPatch(dependencies: ActivityDependencies, { sessionId }: Asked): Promise<void> {
  const request = await readOpenPatchRequest(dependencies.db, sessionId);
  if (request !== null) {
    const made = { problem: 'the worker failed to make it; its log says why' };
    await answer(dependencies, { sessionId, request, made });
  }
}

async function answer(
  { db, limits }: Pick<ActivityDependencies, 'db' | 'limits'>,
  { sessionId, request, made }: Asked & { request: PatchRequest; made: MadePatch },
): Promise<void> {
  await keepPatchSoFar(db, { sessionId, request, limits }, made);
  await answerPatchRequest(db, request.id);
}
