/**
 * Tells the platform which calls wait for their server, so that people see them before they end.
 * Short ones are never told.
 */
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { maxListedOpenCalls, type OpenCallReport } from '../../contract/open-calls.ts';
import { abandonAfter } from '../../lib/timing/time-limit.ts';
import type { PlatformApi } from '../platform-api/platform-api.ts';
import type { CallBook } from './call-book.ts';

/** A call is told when it has been open for this long, and what is told is looked at again as often. */
const toldAfterMs = 5000;
const reportLimitMs = 10_000;

export interface OpenCallReporter {
  /** A call began. */
  wake(): void;
  /** No call is open any more: tells that, where something else was told, and nothing afterwards. */
  finish(timeLimitMs: number): Promise<void>;
}

const none = JSON.stringify({ calls: [], count: 0 });

/** `isFirst`: no earlier sidecar of the session has told any. */
export function createOpenCallReporter(
  api: Pick<PlatformApi, 'reportOpenCalls'>,
  book: CallBook,
  { isFirst, logger }: { isFirst: boolean; logger: Logger },
): OpenCallReporter {
  const sidecarRun = randomUUID();
  let revision = 0;
  /** What the platform has, as text; null when it is not known. */
  let told: string | null = isFirst ? none : null;
  let timer: NodeJS.Timeout | null = null;
  let telling: Promise<void> = Promise.resolve();
  let isFinished = false;

  const tell = async (limitMs: number) => {
    const open = book.openFor(toldAfterMs, maxListedOpenCalls);
    const text = JSON.stringify(open);
    if (text === told) {
      return;
    }
    revision += 1;
    const report: OpenCallReport = { sidecar_run: sidecarRun, revision, ...open };
    told = await api.reportOpenCalls(report, limitMs).then(
      () => text,
      (error: unknown) => {
        logger.warn({ reason: String(error) }, 'open calls could not be reported');
        return null;
      },
    );
  };
  const look = async () => {
    telling = tell(reportLimitMs);
    await telling;
    const isDone = book.openCount === 0 && told === none;
    timer = isDone || isFinished ? null : later();
  };
  const later = () => setTimeout(() => void look(), toldAfterMs).unref();

  if (!isFirst) {
    timer = later();
  }
  return {
    wake() {
      if (!isFinished) {
        timer ??= later();
      }
    },
    async finish(timeLimitMs) {
      isFinished = true;
      clearTimeout(timer ?? undefined);
      await abandonAfter(timeLimitMs, telling, () => undefined);
      await tell(timeLimitMs);
    },
  };
}
