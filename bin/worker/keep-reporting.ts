/** Tells the database while this worker runs what it can run. */
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { WorkerCapabilities } from '../../contract/available-runs.ts';
import type { Db } from '../../store/database.ts';
import { forgetWorker, reportEveryMs, reportWorker } from '../../store/workers/workers.ts';

/** Reports at once and then again and again. A report that fails is logged and made up for by the next one. */
export function keepReporting(
  { db, log }: { db: Db; log: Logger },
  capabilities: WorkerCapabilities,
): { stop: () => Promise<void> } {
  const id = randomUUID();
  const report = () =>
    reportWorker(db, { id, capabilities }).catch((err: unknown) =>
      log.warn({ err }, 'the worker could not report itself'),
    );
  let last = report();
  const timer = setInterval(() => {
    last = report();
  }, reportEveryMs);
  return {
    async stop() {
      clearInterval(timer);
      await last;
      await forgetWorker(db, id).catch((err: unknown) =>
        log.warn({ err }, 'the worker could not sign off; it is taken for gone in a minute'),
      );
    },
  };
}
