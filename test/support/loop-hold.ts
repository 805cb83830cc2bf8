/** How long something blocks the event loop of this process. */
import { setImmediate as nextRound } from 'node:timers/promises';

/** CPU time of this process, independent of other programs on the machine. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** The longest round of the event loop until the work was done, and the work's result. */
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
  // Work that never yielded shows only in the next round.
  await nextRound();
  return { heldMs, result };
}
