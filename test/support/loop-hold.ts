/** How long something keeps the event loop of this process from everything else. */
import { setImmediate as nextRound } from 'node:timers/promises';

/** Of this process: what other programs of the machine take away does not count. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** The most that one round of the event loop took until the work was done, and what came of it. */
export async function longestHold<Result>(
  work: () => Promise<Result>,
): Promise<{ heldMs: number; result: Result }> {
  let heldMs = 0;
  let before = cpuMs();
  let isOver = false;
  const round = () => {
    const now = cpuMs();
    heldMs = Math.max(heldMs, now - before);
    before = now;
    if (!isOver) {
      setImmediate(round);
    }
  };
  setImmediate(round);
  const result = await work();
  isOver = true;
  // What never gave a turn away shows only in the next round.
  await nextRound();
  return { heldMs, result };
}
