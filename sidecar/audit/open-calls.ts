/** Tells the platform which calls wait for their server, so that people see them before they end. Short ones are never told. */
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { maxListedOpenCalls, type OpenCallReport } from '../../contract/open-calls.ts';
import type { PlatformApi } from '../platform-api/platform-api.ts';
import type { CallBook } from './call-book.ts';

/** A call is told when it has been open for this long, and what is told is looked at again as often. */
const toldAfterMs = 5000;
const reportLimitMs = 10_000;

export interface OpenCallReporter {
  /** A call began. */
  wake(): void;
  stop(): void;
}

export function createOpenCallReporter(
  api: Pick<PlatformApi, 'reportOpenCalls'>,
  book: CallBook,
  logger: Logger,
): OpenCallReporter {
  const sidecarRun = randomUUID();
  let revision = 0;
  /** What the platform has, as text; null when it is not known. */
  let told: string | null = JSON.stringify({ calls: [], count: 0 });
  let timer: NodeJS.Timeout | null = null;

  const look = async () => {
    const open = book.openFor(toldAfterMs, maxListedOpenCalls);
    const text = JSON.stringify(open);
    if (text !== told) {
      revision += 1;
      const report: OpenCallReport = { sidecar_run: sidecarRun, revision, ...open };
      told = await api.reportOpenCalls(report, reportLimitMs).then(
        () => text,
        (error: unknown) => {
          logger.warn({ reason: String(error) }, 'open calls could not be reported');
          return null;
        },
      );
    }
    const isDone = book.openCount === 0 && open.count === 0 && told !== null;
    timer = isDone ? null : later();
  };
  const later = () => setTimeout(() => void look(), toldAfterMs).unref();

  return {
    wake() {
      timer ??= later();
    },
    stop() {
      clearTimeout(timer ?? undefined);
    },
  };
}
