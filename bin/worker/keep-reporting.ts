/** Reports to the database what this worker can run, for as long as it runs. */
import { createHash } from 'node:crypto';
import type { Logger } from 'pino';
import type { WorkerCapabilities } from '../../contract/available-runs.ts';
import type { Db } from '../../store/database.ts';
import { forgetWorker, reportEveryMs, reportWorker } from '../../store/workers/workers.ts';

/**
 * The same for each worker of a host: one that is started again after it was killed takes the row of its
 * predecessor, which would count as another worker until it is considered dead. So workers that share a
 * host's name count as one. A hash, since no host name is stored.
 */
function workerId(host: string): string {
  const hash = createHash('sha256').update(`worker of ${host}`).digest('hex');
  // Version 8, of the variant of RFC 9562: made in a way of one's own.
  const parts = [hash.slice(0, 8), hash.slice(8, 12), `8${hash.slice(13, 16)}`, `a${hash.slice(17, 20)}`];
  return [...parts, hash.slice(20, 32)].join('-');
}

/** Reports at once and then periodically. A failed report is logged; the next one makes up for it. */
export function keepReporting(
  { db, log }: { db: Db; log: Logger },
  { host, capabilities }: { host: string; capabilities: WorkerCapabilities },
): { stop: () => Promise<void> } {
  const id = workerId(host);
  const report = () =>
    reportWorker(db, { id, capabilities }).catch((err: unknown) =>
      log.warn({ err }, 'the worker could not report itself'),
    );
  // The row of a predecessor says when that one started; one that cannot be removed now is
  // reported as this worker's.
  let last = forgetWorker(db, id).then(report, report);
  const timer = setInterval(() => {
    last = report();
  }, reportEveryMs);
  return {
    async stop() {
      clearInterval(timer);
      await last;
      await forgetWorker(db, id).catch((err: unknown) =>
        log.warn({ err }, 'the worker could not sign off; it counts as lost in a minute'),
      );
    },
  };
}
