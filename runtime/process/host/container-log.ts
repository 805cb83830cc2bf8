/** One container's output on disk, bounded: it is truncated soon after it has grown too large. */
import { closeSync, fstatSync, ftruncateSync, openSync, writeSync } from 'node:fs';

const limitBytes = 1024 * 1024;
const checkIntervalMs = 1000;

export interface ContainerLog {
  /** For a process that writes to it directly. */
  fd: number;
  /** A no-op once closed. */
  write(bytes: Uint8Array | string): void;
  close(): void;
}

/** Opens the file for appending. */
export function openContainerLog(path: string): ContainerLog {
  const fd = openSync(path, 'a', 0o600);
  const timer = setInterval(() => {
    if (fstatSync(fd).size > limitBytes) {
      ftruncateSync(fd);
    }
  }, checkIntervalMs);
  timer.unref();
  let isOpen = true;
  return {
    fd,
    write(bytes) {
      try {
        if (isOpen) {
          writeSync(fd, Buffer.from(bytes));
        }
      } catch {
        // The disk is full: the session is worth more than its log.
      }
    },
    close() {
      isOpen = false;
      clearInterval(timer);
      closeSync(fd);
    },
  };
}
