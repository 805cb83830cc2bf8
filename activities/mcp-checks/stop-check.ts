import type { ActivityDependencies } from '../dependencies.ts';

/** Stops everything that the check runs, and removes what it left. Harmless when nothing is there. */
export async function stopCheck(
  { runtime }: ActivityDependencies,
  { checkId }: { checkId: string },
): Promise<void> {
  await runtime.stop(checkId);
}
