/**
 * A token bucket: it is full at first and refills steadily. Whoever takes more than is in it waits, up
 * to a limit, or is refused.
 */
const minuteMs = 60_000;

export interface TokenBucket {
  /**
   * Takes tokens, by default one. Returns how long the caller has to wait before it continues,
   * in milliseconds: 0 within the rate. Null when the wait would be longer than `maxWaitMs`:
   * then no token was taken.
   */
  take(tokens?: number): number | null;
  /**
   * How long until as many tokens, by default one, could be taken without a wait, in
   * milliseconds. Takes none.
   */
  untilMs(tokens?: number): number;
  /** Takes one token for something that has already happened; the resulting debt is at most a full bucket. */
  charge(): void;
}

export interface RateSettings {
  /** Also how many may be taken at once. */
  perMinute: number;
  /** By default nobody waits. */
  maxWaitMs?: number;
}

export function createTokenBucket(
  settings: RateSettings,
  nowMs: () => number = () => performance.now(),
): TokenBucket {
  return new Bucket(settings, nowMs);
}

/** There may be many, so each is small. */
class Bucket implements TokenBucket {
  readonly #settings: RateSettings;
  readonly #nowMs: () => number;
  /** Below 0: what those that wait have taken, or a debt. */
  #tokens: number;
  #atMs: number;

  constructor(settings: RateSettings, nowMs: () => number) {
    this.#settings = settings;
    this.#nowMs = nowMs;
    this.#tokens = settings.perMinute;
    this.#atMs = nowMs();
  }

  take(tokens = 1): number | null {
    const waitMs = this.untilMs(tokens);
    if (waitMs > (this.#settings.maxWaitMs ?? 0)) {
      return null;
    }
    this.#tokens -= tokens;
    return waitMs;
  }

  untilMs(tokens = 1): number {
    this.#refill();
    return Math.max(0, (tokens - this.#tokens) / (this.#settings.perMinute / minuteMs));
  }

  charge(): void {
    this.#refill();
    this.#tokens = Math.max(-this.#settings.perMinute, this.#tokens - 1);
  }

  #refill(): void {
    const { perMinute } = this.#settings;
    const atMs = this.#nowMs();
    this.#tokens = Math.min(perMinute, this.#tokens + (atMs - this.#atMs) * (perMinute / minuteMs));
    this.#atMs = atMs;
  }
}
