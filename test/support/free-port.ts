import { randomInt } from 'node:crypto';
import { isPortFree } from '../../bin/start/free-port.ts';

/** Below the ports of outgoing connections, and of a cluster's Services. */
const firstPort = 20_000;
const portsPerWorker = 1000;
const given = new Set<number>();

/**
 * A free port of 127.0.0.1 for a server that may start seconds from now. No connection takes it meanwhile, and neither does
 * another test file of this run.
 */
export async function chooseTestPort(): Promise<number> {
  const first = firstPort + portsPerWorker * (Number(process.env['JEST_WORKER_ID'] ?? 0) % 10);
  for (;;) {
    const port = first + randomInt(portsPerWorker);
    if (!given.has(port) && (await isPortFree(port))) {
      given.add(port);
      return port;
    }
  }
}
