/** What a session has used of its access to a language model, in words. Pure. */
import type { ModelUsage } from '../../api/types.ts';
import { numberText } from '../../text/number-text.ts';

/** `12 of 1,000`. */
const share = (used: number, limit: number): string => `${numberText(used)} of ${numberText(limit)}`;

export const requestsText = ({ requests, requests_limit, failed_requests: failed }: ModelUsage): string =>
  `${share(requests, requests_limit)}${failed === 0 ? '' : `, ${numberText(failed)} of them failed`}`;

export const tokensText = ({ counted_tokens, tokens_limit }: ModelUsage): string =>
  share(counted_tokens, tokens_limit);

/** What the counted tokens are; empty before the first. */
export function tokenParts(usage: ModelUsage): string {
  const parts: [number, string][] = [
    [usage.input_tokens, 'input'],
    [usage.cache_creation_input_tokens, 'written to the cache'],
    [usage.cache_read_input_tokens, 'read from the cache'],
    [usage.output_tokens, 'output'],
    [usage.reserved_tokens, 'set aside for answers that are not finished'],
  ];
  return parts
    .filter(([count]) => count > 0)
    .map(([count, what]) => `${numberText(count)} ${what}`)
    .join(', ');
}

/** Said when a request was refused. */
export const reachedText = ({ reached }: ModelUsage): string | null =>
  reached === null ? null : `A request was refused: the limit of ${reached} is reached.`;

/** What a refused request means for who drives the session; null when there was none. */
export function budgetText(usage: ModelUsage): string | null {
  const { reached, requests_limit, counted_tokens, tokens_limit } = usage;
  if (reached === null) {
    return null;
  }
  // What is set aside may come back, and a smaller request may still pass.
  if (reached === 'tokens' && counted_tokens < tokens_limit) {
    return `The agent asked its model for more than is left of its budget of ${numberText(tokens_limit)} tokens. Messages may not help in this session.`;
  }
  const limit = reached === 'requests' ? requests_limit : tokens_limit;
  return `The agent has used up its budget of ${numberText(limit)} ${reached}: its model answers no more in this session, and messages do not help.`;
}

/** How much of the tighter limit is used, in per cent. */
export const usedPercent = (usage: ModelUsage): number =>
  Math.min(
    100,
    Math.round(
      100 * Math.max(usage.requests / usage.requests_limit, usage.counted_tokens / usage.tokens_limit),
    ),
  );
