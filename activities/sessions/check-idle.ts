import { readIdleState } from '../../store/sessions/activity.ts';
import type { ActivityDependencies } from '../dependencies.ts';

/** Min interval between checks while waiting for a human: the session may end a little late, never early. */
const restingCheckMs = 15_000;

/** Remaining idle time; zero or less when exceeded. The clock pauses while waiting for a human. */
export async function checkIdle(
  { db }: ActivityDependencies,
  { sessionId, idleMs }: { sessionId: string; idleMs: number },
): Promise<{ remainingMs: number }> {
  const { lastActivityAt, waitingForHuman } = await readIdleState(db, sessionId);
  return {
    remainingMs: waitingForHuman
      ? Math.max(idleMs, restingCheckMs)
      : idleMs - (Date.now() - Date.parse(lastActivityAt)),
  };
}
