/** What a session's requests to its model may take. Pure. */
import type { ModelAccess, ModelUsage } from '../../contract/model-access.ts';
import type { ModelTotals } from '../../store/model-requests/requests.ts';

type Limits = Pick<ModelAccess, 'requests_per_session' | 'tokens_per_session'>;
export type ModelLimit = NonNullable<ModelUsage['reached']>;

/** All that counts against the limit of tokens: what was used, and what is set aside. */
const countedTokens = (totals: ModelTotals): number =>
  totals.input_tokens +
  totals.cache_creation_input_tokens +
  totals.cache_read_input_tokens +
  totals.output_tokens +
  totals.reserved_tokens;

/** The limit that a request with this much output would exceed; null when it may be sent. How long its input is, is known only afterwards. */
export function exceededLimit(
  totals: ModelTotals,
  { requests_per_session, tokens_per_session }: Limits,
  maxTokens: number,
): ModelLimit | null {
  if (totals.requests >= requests_per_session) {
    return 'requests';
  }
  const counted = countedTokens(totals);
  return counted >= tokens_per_session || counted + maxTokens > tokens_per_session ? 'tokens' : null;
}

/** For the agent whose request was refused. */
export function refusalMessage(limit: ModelLimit, totals: ModelTotals, limits: Limits): string {
  if (limit === 'requests') {
    return `The session has made all the requests to the model that it may make (limit: ${limits.requests_per_session})`;
  }
  const left = Math.max(0, limits.tokens_per_session - countedTokens(totals));
  const whole = `of the session's ${limits.tokens_per_session} tokens`;
  return left === 0
    ? `Nothing is left ${whole} for the model`
    : `Only ${left} are left ${whole} for the model; ask for fewer output tokens, or wait for your other requests`;
}

/** As people read it. */
export function presentUsage(totals: ModelTotals, limits: Limits): ModelUsage {
  const { requests_reached, tokens_reached, ...used } = totals;
  const reached = requests_reached ? 'requests' : tokens_reached ? 'tokens' : null;
  return {
    ...used,
    counted_tokens: countedTokens(totals),
    requests_limit: limits.requests_per_session,
    tokens_limit: limits.tokens_per_session,
    reached,
  };
}
