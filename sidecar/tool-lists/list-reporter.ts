/** Reports the lists of one server to the platform, in their order, and each only when it differs from the one before. */
import { createHash } from 'node:crypto';
import type { Logger } from 'pino';
import type { ToolListReport } from '../../contract/tool-definitions.ts';
import { abandonAfter } from '../../lib/timing/time-limit.ts';
import type { PlatformApi } from '../platform-api/platform-api.ts';

/** The platform may be down for that long. */
const reportLimitMs = 600_000;
/** Max lists that are not reported yet. */
const maxWaiting = 16;

export class ListReporter {
  readonly #api: Pick<PlatformApi, 'reportToolList'>;
  readonly #logger: Logger;
  readonly #waiting: ToolListReport[] = [];
  #reporting: Promise<void> = Promise.resolve();
  #lastDigest = '';

  constructor(api: Pick<PlatformApi, 'reportToolList'>, logger: Logger) {
    this.#api = api;
    this.#logger = logger;
  }

  add(report: ToolListReport): void {
    const digest = digestOf(report);
    if (digest === this.#lastDigest) {
      return;
    }
    if (this.#waiting.length >= maxWaiting) {
      this.#note(report, 'too many lists wait');
      return;
    }
    this.#lastDigest = digest;
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
      this.#lastDigest = '';
      this.#note(report, String(error));
    }
    this.#waiting.shift();
  }

  #note(report: ToolListReport | undefined, reason: string): void {
    this.#logger.warn({ server: report?.server, reason }, 'a list of tools was not reported');
  }
}

function digestOf({ is_complete, tools, instructions }: ToolListReport): string {
  const definitions = tools.map(({ name, digest }) => [name, digest]);
  return createHash('sha256')
    .update(JSON.stringify([is_complete, instructions?.digest, definitions]))
    .digest('hex');
}
