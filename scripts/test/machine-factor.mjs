/**
 * How quick this machine is at this moment, beside the two idle cores that the aims of a run's time are for.
 */
import { createHash } from 'node:crypto';

const referenceMs = 400;
const rounds = 3;

/**
 * 1 where a fixed loop takes as long as there, 2 where it takes twice as long; the best of several rounds.
 */
export function machineFactor() {
  const tookMs = Array.from({ length: rounds }, () => {
    const startedAt = performance.now();
    work();
    return performance.now() - startedAt;
  });
  return Math.min(...tookMs) / referenceMs;
}

/** What tests do most: objects, texts, JSON and hashes. */
function work() {
  let text = '';
  for (let at = 0; at < 40_000; at += 1) {
    const value = { at, name: `member ${at}`, list: [at, at + 1, at + 2], text: text.slice(-40) };
    text = JSON.stringify(JSON.parse(JSON.stringify(value)));
    createHash('sha256').update(text).digest();
  }
}
