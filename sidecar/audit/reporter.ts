/**
 * Reports ended calls, and counts of refused ones, to the platform in batches until it acknowledges them;
 * each is stored once, by its id.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { retry } from '../../lib/timing/retry.ts';
import type { PlatformApi } from '../platform-api/platform-api.ts';
import { PlatformRefusal } from '../platform-api/request.ts';
import type { CallBook } from './call-book.ts';
import type { RefusalCounts } from './refusal-counts.ts';

export interface Reporter {
  /** There is something to report. */
  wake(): void;
  /** Stops periodic reporting, and reports the rest until the timeout. */
  finish(timeLimitMs: number): Promise<void>;
}

/** A report stays well below the platform's max request size. */
const batchLimits = { calls: 500, bytes: 256 * 1024 };
const countsPerReport = 200;
const gatherMs = 100;
const reportLimitMs = 15_000;
const pauseMs = 1000;

export function createReporter(
  api: Pick<PlatformApi, 'reportCalls' | 'reportRefusedCalls'>,
  { book, counts }: { book: CallBook; counts: RefusalCounts },
  logger: Logger,
): Reporter {
  let isReporting = false;
  const finishing = new AbortController();
  const { signal } = finishing;

  const reportCalls = async (timeLimitMs: number) => {
    const batch = book.nextBatch(batchLimits);
    if (batch.length > 0) {
      await api.reportCalls(batch, timeLimitMs);
      book.acknowledge(batch);
    }
  };
  const reportCounts = async (timeLimitMs: number, all: boolean) => {
    const closed = counts.closed(countsPerReport, Date.now(), { all });
    if (closed.length > 0) {
      await api.reportRefusedCalls(closed, timeLimitMs);
      counts.acknowledge(closed);
    }
  };
  /** Tries both; throws the first failure. */
  const reportSome = async (timeLimitMs: number, { all = false } = {}) => {
    const attempts = [reportCalls(timeLimitMs), reportCounts(timeLimitMs, all)];
    await Promise.allSettled(attempts);
    await Promise.all(attempts);
  };
  const isDone = () => book.endedCount === 0 && counts.isEmpty;
  const note = (error: unknown) =>
    logger.warn({ unreported: book.endedCount, reason: String(error) }, 'tool calls could not be reported');

  const reportAll = async () => {
    isReporting = true;
    while (!isDone() && !signal.aborted) {
      if (book.endedCount < batchLimits.calls) {
        // A report costs as much as some fifty calls, however few it holds.
        await sleep(gatherMs);
      }
      const options = { firstDelayMs: pauseMs, signal, onRetry: note };
      // Fails only when `finish` has taken over.
      await retry(() => reportSome(reportLimitMs), options).catch(() => undefined);
      const waitsForMinute = book.endedCount === 0 && !counts.isEmpty;
      if (waitsForMinute) {
        await sleep(pauseMs);
      }
    }
    isReporting = false;
  };

  return {
    wake() {
      if (!signal.aborted && !isReporting && !isDone()) {
        void reportAll();
      }
    },
    async finish(timeLimitMs) {
      finishing.abort();
      const deadline = Date.now() + timeLimitMs;
      // A report may be in flight: its content is stored once, however often it is sent.
      while (!isDone() && Date.now() < deadline) {
        const refused = await reportSome(deadline - Date.now(), { all: true }).then(
          () => false,
          (error: unknown) => {
            note(error);
            return error instanceof PlatformRefusal;
          },
        );
        if (refused) {
          // For example when the session's end is recorded already: the rest is handed over when
          // its directory is removed.
          return;
        }
        await sleep(0);
      }
    },
  };
}
