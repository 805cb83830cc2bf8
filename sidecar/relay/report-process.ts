/** Tells the sidecar how the process of a server stands. Nothing waits for it, and nothing depends on it. */
import { createConnection } from 'node:net';
import type { ProcessClaim } from '../../contract/session-process.ts';

const limitMs = 1000;

/** Resolves when the sidecar has taken it, or it cannot be told. Never throws. */
export function reportProcess(path: string | null, claim: ProcessClaim): Promise<void> {
  return new Promise((resolve) => {
    if (path === null) {
      resolve();
      return;
    }
    const socket = createConnection({ path });
    socket.setTimeout(limitMs, () => socket.destroy());
    socket.once('error', () => socket.destroy());
    socket.once('close', () => resolve());
    socket.end(`${JSON.stringify(claim)}\n`);
    socket.resume();
  });
}
