import { setTimeout as sleep } from 'node:timers/promises';
import type { Turns } from './redactor.ts';

/** Bounds the share of time that one text takes, as that of a container's output is bounded. */
const pausePerBusyMs = 3;
const mostBusyMs = 10;

/**
 * Redacts a text without holding up all else that the process does: whoever wrote it chose how much there is
 * to search. Null when it takes more than `limitMs` of work.
 */
export async function redactInTurns(turns: Turns, limitMs: number): Promise<Buffer | null> {
  let workedMs = 0;
  let startedMs = performance.now();
  for (let step = turns.next(); ; step = turns.next()) {
    if (step.done === true) {
      return step.value;
    }
    const busyMs = performance.now() - startedMs;
    if (workedMs + busyMs > limitMs) {
      return null;
    }
    if (busyMs > mostBusyMs) {
      await sleep(pausePerBusyMs * busyMs);
      workedMs += busyMs;
      startedMs = performance.now();
    }
  }
}

/** Redacts a text at once. Null, with nothing redacted, when that takes longer than `limitMs`. */
export function redactWithin(turns: Turns, limitMs: number): Buffer | null {
  const endMs = performance.now() + limitMs;
  for (let step = turns.next(); ; step = turns.next()) {
    if (step.done === true) {
      return step.value;
    }
    if (performance.now() > endMs) {
      return null;
    }
  }
}
