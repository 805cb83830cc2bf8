import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createRateLimiter } from '../../../api/middleware/rate-limit.ts';

describe('a rate limit', () => {
  it('refills steadily, and says when the next request may come', () => {
    let atMs = 0;
    const limiter = createRateLimiter({ name: 'things a minute', perMinute: 60 }, () => atMs);
    for (let taken = 0; taken < 60; taken += 1) {
      limiter.take('a');
    }
    expect(() => limiter.take('a')).toThrow(
      expect.objectContaining({ code: 'rate_limited', retryAfterSeconds: 1 }),
    );
    limiter.take('b');
    atMs = 1000;
    limiter.take('a');
    expect(() => limiter.take('a')).toThrow('The limit is 60 things a minute');
  });

  it('lets no key have more than a burst and its refill, however requests are spread', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 5000 }), { maxLength: 300 }), (pausesMs) => {
        let atMs = 0;
        let passed = 0;
        const limiter = createRateLimiter({ name: 'x', perMinute: 30 }, () => atMs);
        for (const pauseMs of pausesMs) {
          atMs += pauseMs;
          try {
            limiter.take('a');
            passed += 1;
          } catch {}
        }
        expect(passed).toBeLessThanOrEqual(30 + (atMs / 60_000) * 30 + 1e-6);
      }),
    );
  });
});
