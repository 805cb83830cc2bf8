/** Reports to the database what this worker can run, for as long as it runs. */
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { WorkerCapabilities } from '../../contract/available-runs.ts';
import type { Db } from '../../store/database.ts';
import { forgetWorker, reportEveryMs, reportWorker } from '../../store/workers/workers.ts';

/** Reports at once and then periodically. A failed report is logged; the next one makes up for it. */
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
        log.warn({ err }, 'the worker could not sign off; it counts as lost in a minute'),
      );
    },
  };
}
