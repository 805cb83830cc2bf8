/**
 * What one request took. The endpoint says it in its answer; where that was cut, more is
 * counted rather than less.
 */
import type { ModelUsageReport } from '../../contract/model-access.ts';

type Tokens = Omit<ModelUsageReport, 'outcome'>;

const members = [
  'input_tokens',
  'cache_creation_input_tokens',
  'cache_read_input_tokens',
  'output_tokens',
] as const satisfies (keyof Tokens)[];
const most = 1_000_000_000;
/** No model writes faster, and what it thinks may not be shown. */
const mostTokensPerSecond = 200;
const fewestBytesPerToken = 3;

export interface TokenCountOptions {
  estimatedInput: number;
  maxTokens: number;
  nowMs?: () => number;
}

export class TokenCount {
  readonly #options: TokenCountOptions;
  readonly #nowMs: () => number;
  readonly #said: Partial<Tokens> = {};
  #sentAtMs: number | null = null;
  #shownBytes = 0;

  constructor(options: TokenCountOptions) {
    this.#options = options;
    this.#nowMs = options.nowMs ?? performance.now.bind(performance);
  }

  /** The endpoint has the whole request. */
  sent(): void {
    this.#sentAtMs = this.#nowMs();
  }

  /** Takes a `usage` in the form of the Messages API; a later one has the sums so far. */
  says(usage: unknown): void {
    if (typeof usage !== 'object' || usage === null) {
      return;
    }
    for (const member of members) {
      const value = (usage as Record<string, unknown>)[member];
      if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) {
        this.#said[member] = Math.min(Math.max(value, this.#said[member] ?? 0), most);
      }
    }
  }

  /** Output that the endpoint has sent. */
  shows(bytes: number): void {
    this.#shownBytes += bytes;
  }

  /** The endpoint answered to the end. What it did not say, or said to be none, is estimated. */
  completed(): ModelUsageReport {
    const isTold = (this.#said.output_tokens ?? 0) > 0;
    return this.#report('completed', isTold ? 0 : this.#fromBytes());
  }

  /** It refused the request, which took nothing, or never had all of it. */
  refused(): ModelUsageReport {
    return { ...this.#tokens({}), outcome: 'failed' };
  }

  /** The answer ended early, through whoever: it may have written as much as the time allowed. */
  cut(): ModelUsageReport {
    if (this.#sentAtMs === null) {
      return this.refused();
    }
    const fromTime = ((this.#nowMs() - this.#sentAtMs) / 1000) * mostTokensPerSecond;
    return this.#report('failed', Math.max(this.#fromBytes(), fromTime));
  }

  #fromBytes(): number {
    return this.#shownBytes / fewestBytesPerToken;
  }

  #report(outcome: ModelUsageReport['outcome'], written: number): ModelUsageReport {
    const { estimatedInput, maxTokens } = this.#options;
    const {
      input_tokens = 0,
      cache_creation_input_tokens: made = 0,
      cache_read_input_tokens: read = 0,
    } = this.#said;
    // No request has no input.
    const input = input_tokens + made + read === 0 ? Math.min(estimatedInput, most) : input_tokens;
    const output = Math.max(this.#said.output_tokens ?? 0, Math.min(Math.ceil(written), maxTokens));
    return { ...this.#tokens({ ...this.#said, input_tokens: input, output_tokens: output }), outcome };
  }

  #tokens(said: Partial<Tokens>): Tokens {
    return {
      input_tokens: said.input_tokens ?? 0,
      cache_creation_input_tokens: said.cache_creation_input_tokens ?? 0,
      cache_read_input_tokens: said.cache_read_input_tokens ?? 0,
      output_tokens: said.output_tokens ?? 0,
    };
  }
}
