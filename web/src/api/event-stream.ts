/**
 * One stream of server-sent events, reconnected whenever it breaks. Independent of React and of the page, so
 * that it is tested as it runs.
 */
import { createParser } from 'eventsource-parser';
import { ApiFailure, failureOf, isTransient } from './failure.ts';

export type StreamState = 'connecting' | 'live' | 'reconnecting' | 'ended' | 'failed';
export type LinkState = Extract<StreamState, 'connecting' | 'live' | 'reconnecting'>;

export interface StreamOptions<Message> {
  /** Where to connect; asked before each attempt. */
  url(): string;
  fetch(url: string, init: { headers: Record<string, string>; signal: AbortSignal }): Promise<Response>;
  parse(data: string): Message;
  onMessage(message: Message): void;
  onState(state: LinkState, failure: ApiFailure | null): void;
  timing?: StreamTiming;
}

export interface StreamTiming {
  /** The first backoff before reconnecting; it doubles up to `longestPauseMs` while nothing arrives. */
  firstPauseMs: number;
  longestPauseMs: number;
  /** The pause after a refusal without a retry time. */
  refusedPauseMs: number;
  /** A connection that lasted for so long was a good one. */
  goodAfterMs: number;
  /** The platform sends at least a comment every 15 s: a connection that is silent for longer is dead. */
  silenceMs: number;
}

export const usualTiming: StreamTiming = {
  firstPauseMs: 250,
  longestPauseMs: 8_000,
  refusedPauseMs: 15_000,
  goodAfterMs: 5_000,
  silenceMs: 40_000,
};

/** The backoff after `failures` fruitless attempts, in ms. `chance` (0 to 1) is the jitter between pages. */
export function pauseMs(
  failures: number,
  { firstPauseMs, longestPauseMs }: Pick<StreamTiming, 'firstPauseMs' | 'longestPauseMs'>,
  chance: number,
): number {
  return Math.min(longestPauseMs, firstPauseMs * 2 ** failures) * (0.5 + chance / 2);
}

/**
 * The pause after `failures` fruitless attempts, in ms: the backoff, and after a refusal at least
 * what the platform asks for.
 */
export function pauseAfter(
  failure: ApiFailure | null,
  failures: number,
  timing: Pick<StreamTiming, 'firstPauseMs' | 'longestPauseMs' | 'refusedPauseMs'>,
): number {
  const backoffMs = pauseMs(failures, timing, Math.random());
  if (failure === null || isTransient(failure)) {
    return backoffMs;
  }
  const { retryAfterSeconds: seconds } = failure;
  return seconds === null ? timing.refusedPauseMs : Math.max(seconds * 1000, backoffMs);
}

export class StreamFollower<Message> {
  private readonly options: StreamOptions<Message>;
  private readonly timing: StreamTiming;
  private readonly stopped = new AbortController();
  private connection: AbortController | null = null;
  private heardAt = Date.now();
  private pause: { until: number; end: () => void } | null = null;
  private retired = false;

  constructor(options: StreamOptions<Message>) {
    this.options = options;
    this.timing = options.timing ?? usualTiming;
  }

  /** Ends when it is stopped, or when it is retired and its connection ends. Never rejects. */
  async run(): Promise<void> {
    let failures = 0;
    this.tell('connecting', null);
    while (!this.stopped.signal.aborted) {
      const startedAt = Date.now();
      const failure = await this.readOnce();
      if (this.retired || this.stopped.signal.aborted) {
        return;
      }
      this.tell('reconnecting', failure);
      failures = Date.now() - startedAt >= this.timing.goodAfterMs ? 0 : failures + 1;
      await this.sleep(pauseAfter(failure, Math.max(0, failures - 1), this.timing));
    }
  }

  stop(): void {
    this.stopped.abort();
    this.connection?.abort();
    this.pause?.end();
  }

  /** Replaced by another one: it continues until it breaks, and is not reconnected. */
  retire(): void {
    this.retired = true;
    this.pause?.end();
  }

  /** Connects now when it waits for its next attempt. */
  retry(): void {
    this.pause?.end();
  }

  /** Does what is due: browsers delay the timers of hidden tabs by up to a minute. */
  lookAtClock(): void {
    if (this.pause !== null && Date.now() >= this.pause.until) {
      this.pause.end();
    }
    if (Date.now() - this.heardAt >= this.timing.silenceMs) {
      this.connection?.abort();
    }
  }

  /** Runs one connection to its end. Returns the API's refusal; null when the connection broke or ended. */
  private async readOnce(): Promise<ApiFailure | null> {
    const connection = new AbortController();
    this.connection = connection;
    this.heardAt = Date.now();
    const silence = setInterval(() => this.lookAtClock(), this.timing.silenceMs / 2);
    try {
      const headers = { accept: 'text/event-stream' };
      const { signal } = connection;
      const response = await this.options.fetch(this.options.url(), { headers, signal });
      if (!response.ok || response.body === null) {
        return failureOf(response, await response.json().catch(() => null));
      }
      this.tell('live', null);
      await this.readMessages(response.body);
      return null;
    } catch (error) {
      return error instanceof ApiFailure ? error : null;
    } finally {
      clearInterval(silence);
      connection.abort();
    }
  }

  private async readMessages(body: ReadableStream<Uint8Array>): Promise<void> {
    const parser = createParser({ onEvent: ({ data }) => this.take(data) });
    const decoder = new TextDecoder();
    const reader = body.getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      this.heardAt = Date.now();
      parser.feed(decoder.decode(part.value, { stream: true }));
    }
  }

  private take(data: string): void {
    if (!this.stopped.signal.aborted) {
      this.options.onMessage(this.options.parse(data));
    }
  }

  private tell(state: LinkState, failure: ApiFailure | null): void {
    if (!this.stopped.signal.aborted) {
      this.options.onState(state, failure);
    }
  }

  private async sleep(durationMs: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, durationMs);
      const end = () => {
        clearTimeout(timer);
        resolve();
      };
      this.pause = { until: Date.now() + durationMs, end };
    });
    this.pause = null;
  }
}
