/** Reports the state of a server's process to the sidecar. Best effort: nothing waits for it or depends on it. */
import { createConnection } from 'node:net';
import type { ProcessClaim } from '../../contract/session-process.ts';

const limitMs = 1000;

/** Resolves when the sidecar has received it, or is unreachable. Never throws. */
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
