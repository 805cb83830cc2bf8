import { ActivityFailure, CancellationScope, log } from '@temporalio/workflow';

/**
 * Runs `life` until it ends or `request` does, whichever is first, and cancels the other. Returns only after
 * `life` has ended as well: a workload that is still starting would otherwise appear after it was stopped.
 * `failed` turns a failure into an ending.
 */
export async function firstEnding<Life, Requested, Failed>(
  life: () => Promise<Life>,
  request: () => Promise<Requested>,
  failed: (error: unknown) => Failed,
): Promise<Life | Requested | Failed> {
  const scope = new CancellationScope();
  let living: Promise<unknown> = Promise.resolve();
  try {
    return await scope.run(() => {
      const started = life();
      living = started;
      return Promise.race([started, request()]);
    });
  } catch (error) {
    return failed(error);
  } finally {
    scope.cancel();
    await living.catch(() => undefined);
  }
}

/**
 * A workload that cannot be stopped blocks nothing: its token stops working, and the
 * worker's sweep removes it.
 */
export async function stopOrLeaveToSweep(stop: () => Promise<unknown>, about: object): Promise<void> {
  try {
    await stop();
  } catch (error) {
    if (!(error instanceof ActivityFailure)) {
      throw error;
    }
    log.error('the workload could not be stopped; the next sweep for orphans removes it', { ...about });
  }
}
