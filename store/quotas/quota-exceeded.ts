/** What a user or a workspace has used up; the message names the limit. */
export class QuotaExceededError extends Error {
  override name = 'QuotaExceededError';
  /** When there is room again; null where something has to end first. */
  readonly retryAfterSeconds: number | null;

  constructor(limit: number, what: string, retryAfterSeconds: number | null = null) {
    super(`The limit is ${limit} ${what}`);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
