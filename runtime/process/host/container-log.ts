/** One container's output on disk, bounded: what was written stays within about twice the limit. */
import { closeSync, fstatSync, ftruncateSync, openSync } from 'node:fs';

const limitBytes = 1024 * 1024;
const checkIntervalMs = 5000;

/** Opens the file for appending; the container writes to it directly. Starts over when it has grown too large. */
export function openContainerLog(path: string): { fd: number; close(): void } {
  const fd = openSync(path, 'a', 0o600);
  const timer = setInterval(() => {
    if (fstatSync(fd).size > limitBytes) {
      ftruncateSync(fd);
    }
  }, checkIntervalMs);
  timer.unref();
  return {
    fd,
    close() {
      clearInterval(timer);
      closeSync(fd);
    },
  };
}
