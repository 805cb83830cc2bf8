/** Reports ended calls to the platform in batches until it acknowledges them; each is stored once, by its id. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { PlatformApi } from '../platform-api/platform-api.ts';
import { PlatformRefusal } from '../platform-api/request.ts';
import type { CallBook } from './call-book.ts';

export interface Reporter {
  /** There is something to report. */
  wake(): void;
  /** Stops reporting by itself, and hands over what there is until the time is over. */
  finish(timeLimitMs: number): Promise<void>;
}

/** A report stays well below what the platform takes as one request. */
const batchLimits = { calls: 500, bytes: 256 * 1024 };
const gatherMs = 100;
const reportLimitMs = 15_000;
const pauseMs = 1000;

export function createReporter(
  api: Pick<PlatformApi, 'reportCalls'>,
  book: CallBook,
  logger: Logger,
): Reporter {
  let isReporting = false;
  let finishing = false;

  const reportBatch = async (timeLimitMs: number) => {
    const batch = book.nextBatch(batchLimits);
    await api.reportCalls(batch, timeLimitMs);
    book.acknowledge(batch);
  };
  const note = (error: unknown) =>
    logger.warn({ unreported: book.endedCount, reason: String(error) }, 'tool calls could not be reported');

  const reportAll = async () => {
    isReporting = true;
    await sleep(gatherMs);
    while (book.endedCount > 0 && !finishing) {
      await reportBatch(reportLimitMs).catch(async (error: unknown) => {
        note(error);
        await sleep(pauseMs);
      });
    }
    isReporting = false;
  };

  return {
    wake() {
      if (!finishing && !isReporting && book.endedCount > 0) {
        void reportAll();
      }
    },
    async finish(timeLimitMs) {
      finishing = true;
      const deadline = Date.now() + timeLimitMs;
      // A report may be on its way: what it carries is stored once, however often it is sent.
      while (book.endedCount > 0 && Date.now() < deadline) {
        const refused = await reportBatch(deadline - Date.now()).then(
          () => false,
          (error: unknown) => {
            note(error);
            return error instanceof PlatformRefusal;
          },
        );
        if (refused) {
          // As when the session's end is on record already: whoever removes its directory takes the rest.
          return;
        }
        await sleep(0);
      }
    },
  };
}
