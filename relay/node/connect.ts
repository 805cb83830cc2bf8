import { createConnection, type Socket } from 'node:net';
import { assertSocketPath } from '../../contract/socket-path.ts';
import { retry } from '../../lib/timing/retry.ts';

const retryMs = 100;
/**
 * Nobody listens (yet, or for the moment), or the socket's creator has still to open it to
 * the group: worth a retry.
 */
const waitable = new Set(['ENOENT', 'ECONNREFUSED', 'EAGAIN', 'EACCES']);

/** Connects to a Unix socket, waiting for it to appear. Throws when it cannot be reached within the limit. */
export async function connectToSocket(path: string, limitMs: number, signal?: AbortSignal): Promise<Socket> {
  assertSocketPath(path);
  const isRetryable = (error: unknown) => waitable.has(codeOf(error));
  return retry(() => connectOnce(path), { firstDelayMs: retryMs, limitMs, signal, isRetryable }).catch(
    (error: unknown) => {
      throw new Error(`cannot connect to ${path}: ${codeOf(error) || 'unknown error'}`, { cause: error });
    },
  );
}

const codeOf = (error: unknown) =>
  typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';

function connectOnce(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = createConnection({ path, allowHalfOpen: true });
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.off('error', reject);
      // Its `close` is all that the relay needs.
      socket.on('error', () => undefined);
      resolve(socket);
    });
  });
}
