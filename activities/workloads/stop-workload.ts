import type { ActivityDependencies } from '../dependencies.ts';

/** Stops everything that the session runs. Harmless when nothing is there. */
export async function stopWorkload(
  { runtime }: ActivityDependencies,
  { sessionId }: { sessionId: string },
): Promise<void> {
  await runtime.stop(sessionId);
}
