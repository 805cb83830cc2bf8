import { readIdleState } from '../../store/sessions/activity.ts';
import type { ActivityDependencies } from '../dependencies.ts';

/** While a human is waited for the clock is looked at this often at most: the session ends a little late, never early. */
const restingCheckMs = 15_000;

/** How long the session may still be idle; zero or less: too long. The clock rests while a human is waited for (design 6). */
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
