/** A quota of a user or a workspace is exhausted; the message names the limit. */
export class QuotaExceededError extends Error {
  override name = 'QuotaExceededError';
  /** When to retry; null when something has to end first. */
  readonly retryAfterSeconds: number | null;

  constructor(limit: number, what: string, retryAfterSeconds: number | null = null) {
    super(`The limit is ${limit} ${what}`);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
