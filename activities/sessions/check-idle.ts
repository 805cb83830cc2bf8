import { readIdleState } from '../../store/sessions/activity.ts';
import type { ActivityDependencies } from '../dependencies.ts';

/** Min interval between checks while the clock is paused: the session may end a little late, never early. */
const pausedCheckMs = 15_000;

/**
 * Remaining idle time; zero or less when exceeded. The clock pauses while the session waits for a person or
 * for its children, each of which has a clock of its own; it does not run out before the time up to which its
 * agent expects to be quiet.
 */
export async function checkIdle(
  { db }: Pick<ActivityDependencies, 'db'>,
  { sessionId, idleMs }: { sessionId: string; idleMs: number },
): Promise<{ remainingMs: number }> {
  const { lastActivityAt, quietUntil, waiting } = await readIdleState(db, sessionId);
  if (waiting) {
    return { remainingMs: Math.max(idleMs, pausedCheckMs) };
  }
  const idleUntilMs = Date.parse(lastActivityAt) + idleMs;
  const quietUntilMs = quietUntil === null ? 0 : Date.parse(quietUntil);
  return { remainingMs: Math.max(idleUntilMs, quietUntilMs) - Date.now() };
}
