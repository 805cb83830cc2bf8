/** Patches of sessions that run: one of a session at a time, and none while it is being stopped. */
import { createSharedSemaphore } from '../../../lib/limits/semaphore.ts';
import { abortWith } from '../../../lib/timing/abort-with.ts';
import type { MadePatch } from '../../workload.ts';
import { type CompareOptions, makePatchSoFar } from './make-patch.ts';

/** Nobody waits for it any more, or its session is being stopped. */
export class PatchAbandonedError extends Error {
  override name = 'PatchAbandonedError';
}

interface RunningSession {
  sessionId: string;
  workspaceId: string;
  directory: string;
}

interface MakeOptions extends CompareOptions {
  inTurn(signal: AbortSignal, compare: () => Promise<MadePatch>): Promise<MadePatch>;
}

export interface PatchesSoFar {
  /** Throws for a fault of the worker, the reason of its signal, or a PatchAbandonedError. */
  make(session: RunningSession, options: MakeOptions): Promise<MadePatch>;
  /** Does the work while none is made: what was begun is abandoned first. */
  without<Result>(sessionId: string, work: () => Promise<Result>): Promise<Result>;
}

/** At a time. Apart from the other jobs: an agent decides how long its hand-over takes. */
const soFarLimits = { permits: 8, permitsOfKey: 2 };

export function createPatchesSoFar(): PatchesSoFar {
  const inOwnTurn = createSharedSemaphore(soFarLimits);
  const making = new Map<string, { controller: AbortController; ended: Promise<unknown> }>();
  /** How many stop it. */
  const stopping = new Map<string, number>();
  const count = (sessionId: string, more: 1 | -1) => {
    const left = (stopping.get(sessionId) ?? 0) + more;
    if (left === 0) {
      stopping.delete(sessionId);
    } else {
      stopping.set(sessionId, left);
    }
  };
  return {
    // Nothing is awaited before it is known: two who ask at once, or a stop, find each other.
    async make({ sessionId, workspaceId, directory }, { inTurn, signal: asked, ...options }) {
      if (stopping.has(sessionId)) {
        throw new PatchAbandonedError('the session is being stopped');
      }
      // One that nobody waits for any more, as after a lost connection to Temporal.
      const before = making.get(sessionId);
      before?.controller.abort(new PatchAbandonedError('the patch is made again'));
      const controller = new AbortController();
      const { signal } = controller;
      const unlink = abortWith(controller, asked);
      const made = Promise.resolve(before?.ended).then(() =>
        inOwnTurn(workspaceId, signal, () =>
          makePatchSoFar(directory, { ...options, signal, inTurn: (compare) => inTurn(signal, compare) }),
        ),
      );
      const own = { controller, ended: made.catch(() => undefined) };
      making.set(sessionId, own);
      try {
        return await made;
      } finally {
        unlink();
        if (making.get(sessionId) === own) {
          making.delete(sessionId);
        }
      }
    },
    async without(sessionId, work) {
      count(sessionId, 1);
      try {
        const begun = making.get(sessionId);
        begun?.controller.abort(new PatchAbandonedError('the session is being stopped'));
        await begun?.ended;
        return await work();
      } finally {
        count(sessionId, -1);
      }
    },
  };
}
