/**
 * Reports the lists of one server to the platform, in their order, and each only when it says
 * something that was not reported.
 */
import type { Logger } from 'pino';
import type { ToolListReport } from '../../contract/tool-definitions.ts';
import { abandonAfter } from '../../lib/timing/time-limit.ts';
import type { PlatformApi } from '../platform-api/platform-api.ts';

/** The platform may be down for that long. */
const reportLimitMs = 600_000;
/** Max lists that are not reported yet. */
const maxWaiting = 16;
/** Beyond it everything counts as not reported. */
const maxKnown = 20_000;

export class ListReporter {
  readonly #api: Pick<PlatformApi, 'reportToolList'>;
  readonly #logger: Logger;
  readonly #waiting: ToolListReport[] = [];
  #reporting: Promise<void> = Promise.resolve();
  /**
   * Definitions that were reported, and whether a complete list was. A server cannot crowd out a new
   * one with lists of these.
   */
  readonly #known = new Set<string>();

  constructor(api: Pick<PlatformApi, 'reportToolList'>, logger: Logger) {
    this.#api = api;
    this.#logger = logger;
  }

  add(report: ToolListReport): void {
    const news = newsOf(report).filter((each) => !this.#known.has(each));
    if (news.length === 0) {
      return;
    }
    if (this.#waiting.length >= maxWaiting) {
      this.#note(report, 'too many lists wait');
      return;
    }
    if (this.#known.size + news.length <= maxKnown) {
      for (const each of news) {
        this.#known.add(each);
      }
    }
    this.#waiting.push(report);
    this.#reporting = this.#reporting.then(() => this.#reportNext());
  }

  /** Resolves when nothing waits to be reported, or on timeout, then with false. */
  settled(limitMs: number): Promise<boolean> {
    return abandonAfter(
      limitMs,
      this.#reporting.then(() => true),
      () => false,
    );
  }

  async #reportNext(): Promise<void> {
    const [report] = this.#waiting;
    try {
      if (report !== undefined) {
        await this.#api.reportToolList(report, reportLimitMs);
      }
    } catch (error) {
      // The next list is reported, also when it is the same.
      this.#known.clear();
      this.#note(report, String(error));
    }
    this.#waiting.shift();
  }

  #note(report: ToolListReport | undefined, reason: string): void {
    this.#logger.warn({ server: report?.server, reason }, 'a list of tools was not reported');
  }
}

/** What a report may say for the first time. The digest of a tool is also of its name. */
function newsOf({ is_complete: isComplete, tools, instructions }: ToolListReport): string[] {
  return [
    ...(isComplete ? ['complete'] : []),
    ...(instructions === null ? [] : [instructions.digest]),
    ...tools.map(({ digest }) => digest),
  ];
}
