import type { ActivityDependencies } from '../dependencies.ts';

/** Stops everything that the check runs, and cleans up after it. Idempotent. */
export async function stopCheck(
  { runtime }: ActivityDependencies,
  { checkId }: { checkId: string },
): Promise<void> {
  await runtime.stop(checkId);
}
