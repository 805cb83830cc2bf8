import { randomInt } from 'node:crypto';
import { isPortFree } from '../../bin/start/free-port.ts';

/** Below the ports of outgoing connections, and of a cluster's Services. */
const firstPort = 20_000;
const portsPerWorker = 1000;
/** No more of them than leave enough free ones to files that follow in this process. */
const mostGiven = portsPerWorker / 2;
const given = new Set<number>();

/**
 * A free port of 127.0.0.1 for a server that may start seconds from now. No connection takes it meanwhile,
 * and neither does another test file of this run, for some hundreds of ports.
 */
export async function chooseTestPort(): Promise<number> {
  const first = firstPort + portsPerWorker * (Number(process.env['JEST_WORKER_ID'] ?? 0) % 10);
  for (;;) {
    const port = first + randomInt(portsPerWorker);
    if (!given.has(port) && (await isPortFree(port))) {
      const [oldest] = given;
      if (given.size >= mostGiven && oldest !== undefined) {
        given.delete(oldest);
      }
      given.add(port);
      return port;
    }
  }
}
