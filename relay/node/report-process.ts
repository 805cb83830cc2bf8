/**
 * Reports the state of a server's process to the sidecar. Best effort: nothing waits for it or depends on it.
 */
import { createConnection } from 'node:net';
import type { ProcessClaim } from '../../contract/session-process.ts';

const limitMs = 1000;

/**
 * Resolves when the sidecar has received it, or is unreachable: then with false. With nowhere to report to it
 * counts as received. Never throws.
 */
export function reportProcess(path: string | null, claim: ProcessClaim): Promise<boolean> {
  return new Promise((resolve) => {
    if (path === null) {
      resolve(true);
      return;
    }
    const socket = createConnection({ path });
    let isLost = false;
    const lose = () => {
      isLost = true;
      socket.destroy();
    };
    socket.setTimeout(limitMs, lose);
    socket.once('error', lose);
    socket.once('close', () => resolve(!isLost));
    socket.end(`${JSON.stringify(claim)}\n`);
    socket.resume();
  });
}
