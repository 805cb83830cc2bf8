/** Max length of a Unix socket's path; beyond it some systems silently truncate the path. */
const maxSocketPathBytes = 107;

/** Throws when the path is too long to be a socket's. */
export function assertSocketPath(path: string): void {
  if (Buffer.byteLength(path) > maxSocketPathBytes) {
    throw new Error(`the socket path ${path} is longer than ${maxSocketPathBytes} bytes`);
  }
}
