/** Writing to an agent that may not read. */
import type { Writable } from 'node:stream';

/** Returns when there is room for more. Throws when there is none for `limitMs`, or `signal` is aborted. */
export function writeInTime(to: Writable, text: string, limitMs: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  if (to.write(text)) {
    return Promise.resolve();
  }
  return new Promise((resolve, reject) => {
    const settle = (error: Error | null) => {
      clearTimeout(timer);
      to.off('drain', drained).off('close', closed);
      signal.removeEventListener('abort', closed);
      if (error === null) {
        resolve();
      } else {
        reject(error);
      }
    };
    const drained = () => settle(null);
    const closed = () => settle(new Error('the agent has left'));
    const timer = setTimeout(closed, limitMs);
    to.on('drain', drained).on('close', closed);
    signal.addEventListener('abort', closed);
  });
}
