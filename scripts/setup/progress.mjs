/**
 * One line for each step: what it is, how it ended, how long it took. Steps with nothing to do stay silent.
 */
export class SetupError extends Error {}

/** A step that takes longer than this is announced. */
const announceAfterMs = 1000;

/** What steps could not provide, as lines: the tests that need it are left out. */
export const leftOut = [];

/** What a step failed with, first: none is begun after it. */
let firstFailure;

/** `work` returns a short text of what it did, or nothing when there was nothing to do. */
export async function step(name, work) {
  if (firstFailure !== undefined) {
    throw firstFailure;
  }
  const started = Date.now();
  const announcement = setTimeout(() => console.log(`  ${name} ...`), announceAfterMs);
  const duration = () => readableDuration(Date.now() - started);
  try {
    const done = await work();
    if (done) {
      console.log(`  ${name}: ${done} (${duration()})`);
    }
    if (done?.includes('left out')) {
      leftOut.push(`${name}: ${done}`);
    }
  } catch (error) {
    firstFailure ??= error;
    console.log(`  ${name}: failed (${duration()})`);
    throw error;
  } finally {
    clearTimeout(announcement);
  }
}

/**
 * Runs parts that do not need each other at the same time. Waits for all of them; then throws what
 * a step failed with first.
 */
export async function together(parts) {
  const results = await Promise.allSettled(parts.map((part) => part()));
  const failed = results.find(({ status }) => status === 'rejected');
  if (failed) {
    throw firstFailure ?? failed.reason;
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
