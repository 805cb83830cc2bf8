/** One line for each step: what it is, how it ended, how long it took. Steps with nothing to do stay silent. */
export class SetupError extends Error {}

/** A step that takes longer than this is announced. */
const announceAfterMs = 1000;

/** What steps could not provide, as lines: the tests that need it are left out. */
export const leftOut = [];

/** `work` returns a short text of what it did, or nothing when there was nothing to do. */
export async function step(name, work) {
  const started = Date.now();
  const announcement = setTimeout(() => console.log(`  ${name} ...`), announceAfterMs);
  const done = await work().finally(() => clearTimeout(announcement));
  if (done) {
    console.log(`  ${name}: ${done} (${readableDuration(Date.now() - started)})`);
    if (done.includes('left out')) {
      leftOut.push(`${name}: ${done}`);
    }
  }
}

/** Runs parts that do not need each other at the same time. Waits for all of them; then throws what failed first in the list. */
export async function together(parts) {
  const results = await Promise.allSettled(parts.map((part) => part()));
  const failed = results.find(({ status }) => status === 'rejected');
  if (failed) {
    throw failed.reason;
  }
}

export function readableDuration(ms) {
  const seconds = ms / 1000;
  return seconds < 60
    ? `${seconds.toFixed(1)} s`
    : `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}

/** Reports every 20 seconds that a long step is still running. */
export async function withHeartbeat(what, work) {
  const started = Date.now();
  const timer = setInterval(
    () => console.log(`  ... ${what}, ${readableDuration(Date.now() - started)} so far`),
    20_000,
  );
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
