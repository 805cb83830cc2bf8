/** One container's output on disk, bounded: it starts over soon after it has grown too large. */
import { closeSync, fstatSync, ftruncateSync, openSync } from 'node:fs';

const limitBytes = 1024 * 1024;
const checkIntervalMs = 1000;

/** Opens the file for appending; the container writes to it directly. */
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
