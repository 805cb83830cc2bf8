import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { exceededLimit, presentUsage, refusalMessage } from '../../../../commands/model-requests/ask.ts';
import type { ModelTotals } from '../../../../store/model-requests/requests.ts';
import { checkProperty } from '../../../support/property.ts';

const limits = { requests_per_session: 10, tokens_per_session: 1000 };
const totals = (change: Partial<ModelTotals> = {}): ModelTotals => ({
  requests: 0,
  failed_requests: 0,
  input_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: 0,
  reserved_tokens: 0,
  requests_reached: false,
  tokens_reached: false,
  ...change,
});

describe("a session's budget for its model", () => {
  it.each([
    ['the first request', totals(), 100, null],
    ['the last request', totals({ requests: 9 }), 100, null],
    ['one more request', totals({ requests: 10 }), 100, 'requests'],
    ['the last token', totals({ output_tokens: 900 }), 100, null],
    ['one more token', totals({ output_tokens: 900 }), 101, 'tokens'],
    ['what others have set aside', totals({ reserved_tokens: 950 }), 51, 'tokens'],
    [
      'tokens of the cache',
      totals({ cache_creation_input_tokens: 500, cache_read_input_tokens: 500 }),
      0,
      'tokens',
    ],
    ['no output once nothing is left', totals({ input_tokens: 1000 }), 0, 'tokens'],
    ['both', totals({ requests: 10, input_tokens: 1000 }), 1, 'requests'],
  ] as const)('decides on %s', (_what, used, maxTokens, limit) => {
    expect(exceededLimit(used, limits, maxTokens)).toBe(limit);
  });

  it('is never exceeded by what is allowed', () => {
    const count = fc.nat({ max: 1200 });
    checkProperty(
      fc.property(
        fc.nat({ max: 12 }),
        count,
        count,
        count,
        (requests, input_tokens, reserved_tokens, maxTokens) => {
          if (
            exceededLimit(totals({ requests, input_tokens, reserved_tokens }), limits, maxTokens) === null
          ) {
            expect(requests + 1).toBeLessThanOrEqual(10);
            expect(input_tokens + reserved_tokens + maxTokens).toBeLessThanOrEqual(1000);
          }
        },
      ),
    );
  });

  it('tells the agent what is left', () => {
    expect(refusalMessage('tokens', totals({ output_tokens: 900 }), limits)).toMatch(/^Only 100 are left of/);
    expect(refusalMessage('tokens', totals({ output_tokens: 1200 }), limits)).toMatch(/^Nothing is left/);
    expect(refusalMessage('requests', totals(), limits)).toMatch(/may make \(limit: 10\)/);
  });

  it('is shown with all that counts, and the limit that refused', () => {
    const used = totals({
      requests: 3,
      input_tokens: 1,
      cache_creation_input_tokens: 2,
      cache_read_input_tokens: 4,
    });
    expect(presentUsage({ ...used, output_tokens: 8, reserved_tokens: 16 }, limits)).toEqual({
      requests: 3,
      failed_requests: 0,
      input_tokens: 1,
      cache_creation_input_tokens: 2,
      cache_read_input_tokens: 4,
      output_tokens: 8,
      reserved_tokens: 16,
      counted_tokens: 31,
      requests_limit: 10,
      tokens_limit: 1000,
      reached: null,
    });
    expect(presentUsage(totals({ tokens_reached: true }), limits).reached).toBe('tokens');
    expect(presentUsage(totals({ tokens_reached: true, requests_reached: true }), limits).reached).toBe(
      'requests',
    );
  });
});
