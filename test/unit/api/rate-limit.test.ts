import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ApiError } from '../../../api/errors.ts';
import { createRateLimiter } from '../../../api/middleware/rate-limit.ts';
import { createSignInLimit } from '../../../api/middleware/sign-in-limit.ts';
import { defaultLimits } from '../../support/limits.ts';
import { checkProperty } from '../../support/property.ts';

describe('a rate limit', () => {
  it('refills steadily, and reports when the next request is allowed', () => {
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

  it('allows no key more than a burst and its refill, however requests are spread', () => {
    checkProperty(
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

describe('the limit on signing in', () => {
  const fail = () => Promise.reject(new ApiError('unauthenticated', 'no'));
  const succeed = () => Promise.resolve('signed in');

  it('allows 2,000 people behind one address to sign in within minutes, with its defaults', async () => {
    let atMs = 0;
    const limit = createSignInLimit(defaultLimits, () => atMs);
    for (let people = 0; people < 2000; people += 1) {
      // To the provider, and back.
      for (let request = 0; request < 2; request += 1) {
        while ((await limit.guard('office', succeed).catch(() => null)) === null) {
          atMs += 1000;
        }
      }
    }
    expect(atMs).toBeLessThan(5 * 60_000);
  });

  it('limits failures to their rate, also concurrent ones, and forgets them within two minutes', async () => {
    let atMs = 0;
    const config = { RATE_SIGN_IN_PER_MINUTE: 100_000, RATE_SIGN_IN_FAILURES_PER_MINUTE: 20 };
    const limit = createSignInLimit(config, () => atMs);
    await Promise.allSettled(Array.from({ length: 500 }, () => limit.guard('a', fail)));
    await expect(limit.guard('a', succeed)).rejects.toMatchObject({ code: 'rate_limited' });
    expect(await limit.guard('b', succeed)).toBe('signed in');
    atMs += 2 * 60_000;
    expect(await limit.guard('a', succeed)).toBe('signed in');
  });

  it('does not count faults of the platform or the provider', async () => {
    const config = { RATE_SIGN_IN_PER_MINUTE: 1000, RATE_SIGN_IN_FAILURES_PER_MINUTE: 1 };
    const limit = createSignInLimit(config, () => 0);
    for (let at = 0; at < 5; at += 1) {
      const away = () => Promise.reject(new ApiError('unavailable', 'away'));
      await expect(limit.guard('a', away)).rejects.toMatchObject({ code: 'unavailable' });
    }
  });
});
